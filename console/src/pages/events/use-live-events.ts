/** The latest events of a project, continued by the live stream. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type LiveEvent, listEvents } from '../../api/events.ts';
import { watchEvents } from '../../api/live-events.ts';
import { useResource } from '../../lib/use-resource.ts';
import { add, countPerSecond, merge } from './event-list.ts';

export interface LiveFilter {
  event: string;
  distinct_id: string;
  /** The stream cannot filter by property, so the list is reloaded instead. */
  properties: string | undefined;
}

export interface Live {
  events: readonly LiveEvent[];
  /** New events while paused. */
  held: number;
  /** Events per second, for each of the last 60 seconds. */
  rate: readonly number[];
  isConnected: boolean;
  /** Events that arrived too fast to be shown. */
  skipped: number;
  loading: boolean;
  error: unknown;
  reload(): void;
}

const PAGE_SIZE = 100;
/** Limits rendering, so that a fast stream does not block the browser. */
const DRAW_INTERVAL_MS = 250;
const RATE_SECONDS = 60;

export function useLiveEvents(projectId: number, filter: LiveFilter, isPaused: boolean): Live {
  const { event, distinct_id, properties } = filter;
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  const [rate, setRate] = useState<readonly number[]>(() => countPerSecond([], 0, RATE_SECONDS));
  const [isConnected, setConnected] = useState(false);
  const [skipped, setSkipped] = useState(0);
  const [held, setHeld] = useState(0);
  const queued = useRef<LiveEvent[]>([]);
  const arrivals = useRef<number[]>([]);

  const list = useResource(
    (signal) => listEvents(projectId, { event, distinct_id, properties, limit: PAGE_SIZE }, signal),
    [projectId, event, distinct_id, properties],
  );
  const { data, loading, reload } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter starts with an empty table
  useEffect(() => {
    queued.current = [];
    setEvents([]);
    setHeld(0);
    setSkipped(0);
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
            queued.current.push(stored);
          },
          onSkipped: (count) => setSkipped((before) => before + count),
          onConnected: (now) => {
            setConnected(now);
            // The list has the events that arrived while disconnected.
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
    setHeld(isPaused ? queued.current.length : 0);
    // Wait for a running reload: on a busy project none would ever finish.
    if (isPaused || queued.current.length === 0 || (properties !== undefined && loading)) return;
    const arrived = queued.current.splice(0);
    if (properties === undefined) setEvents((shown) => add(shown, arrived));
    else reload();
  }, [isPaused, properties, loading, reload]);
  useEffect(() => {
    draw();
    const timer = setInterval(draw, DRAW_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [draw]);

  return { events, held, rate, isConnected, skipped, loading, error: list.error, reload };
}
