/** The newest events of a project: those that are there already, then those of the stream as they come. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type LiveEvent, listEvents } from '../../api/events.ts';
import { watchEvents } from '../../api/live-events.ts';
import { useResource } from '../../lib/use-resource.ts';
import { add, countPerSecond, merge } from './event-list.ts';

export interface LiveFilter {
  event: string;
  distinct_id: string;
  /** Property filters as the API takes them. The stream cannot judge these, so the list is read again instead. */
  properties: string | undefined;
}

export interface Live {
  events: readonly LiveEvent[];
  /** How many came while it was paused. */
  held: number;
  /** Events per second, for each of the last 60 seconds. */
  rate: readonly number[];
  isConnected: boolean;
  /** So many came too fast to be shown. */
  missed: number;
  loading: boolean;
  error: unknown;
  reload(): void;
}

const FIRST = 100;
/** How often what has come is drawn: a fast stream must not keep the browser from anything else. */
const DRAW_EVERY_MS = 250;
const RATE_SECONDS = 60;

export function useLive(projectId: number, filter: LiveFilter, isPaused: boolean): Live {
  const { event, distinct_id, properties } = filter;
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  const [rate, setRate] = useState<readonly number[]>(() => countPerSecond([], 0, RATE_SECONDS));
  const [isConnected, setConnected] = useState(false);
  const [missed, setMissed] = useState(0);
  const [held, setHeld] = useState(0);
  const waiting = useRef<LiveEvent[]>([]);
  const arrivals = useRef<number[]>([]);

  const list = useResource(
    (signal) => listEvents(projectId, { event, distinct_id, properties, limit: FIRST }, signal),
    [projectId, event, distinct_id, properties],
  );
  const { data, loading, reload } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins with an empty table
  useEffect(() => {
    waiting.current = [];
    setEvents([]);
    setHeld(0);
    setMissed(0);
  }, [projectId, event, distinct_id, properties]);
  useEffect(() => {
    if (data) setEvents((shown) => merge(shown, data.results));
  }, [data]);

  useEffect(
    () =>
      watchEvents(
        projectId,
        { event, distinct_id },
        {
          onEvent: (stored) => {
            arrivals.current.push(Date.now());
            waiting.current.push(stored);
          },
          onSkipped: (count) => setMissed((before) => before + count),
          onConnected: (now) => {
            setConnected(now);
            // Whatever came while there was no connection is in the list.
            if (now) reload();
          },
        },
      ),
    [projectId, event, distinct_id, reload],
  );

  const draw = useCallback(() => {
    const now = Date.now();
    arrivals.current = arrivals.current.filter((at) => at > now - RATE_SECONDS * 1000);
    setRate(countPerSecond(arrivals.current, now, RATE_SECONDS));
    setHeld(isPaused ? waiting.current.length : 0);
    // A reading that is under way is not cut short by the next: on a busy project none would ever end.
    if (isPaused || waiting.current.length === 0 || (properties !== undefined && loading)) return;
    const come = waiting.current.splice(0);
    if (properties === undefined) setEvents((shown) => add(shown, come));
    else reload();
  }, [isPaused, properties, loading, reload]);
  useEffect(() => {
    draw();
    const timer = setInterval(draw, DRAW_EVERY_MS);
    return () => clearInterval(timer);
  }, [draw]);

  return { events, held, rate, isConnected, missed, loading, error: list.error, reload };
}
