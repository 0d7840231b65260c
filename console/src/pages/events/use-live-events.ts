/** The events of a project, newest first: continued by the live stream, and by older pages. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type LiveEvent, listEvents } from '../../api/events.ts';
import { watchEvents } from '../../api/live-events.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { add, countPerSecond, merge, olderThan } from './event-list.ts';

export interface LiveFilter {
  event: string;
  distinct_id: string;
  /** The stream cannot filter by property, so the list is reloaded instead. */
  properties: string | undefined;
  after: string | undefined;
  /** With an end there is nothing to stream. */
  before: string | undefined;
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
  /** Null when all events are shown. */
  loadOlder: (() => void) | null;
  isLoadingOlder: boolean;
  olderError: unknown;
}

const PAGE_SIZE = 100;
/** Limits rendering, so that a fast stream does not block the browser. */
const DRAW_INTERVAL_MS = 250;
const RATE_SECONDS = 60;

export function useLiveEvents(projectId: number, filter: LiveFilter, isPaused: boolean): Live {
  const { event, distinct_id, properties, after, before } = filter;
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  const [hasOlder, setHasOlder] = useState(false);
  const [rate, setRate] = useState<readonly number[]>(() => countPerSecond([], 0, RATE_SECONDS));
  const [isConnected, setConnected] = useState(false);
  const [skipped, setSkipped] = useState(0);
  const [held, setHeld] = useState(0);
  const queued = useRef<LiveEvent[]>([]);
  const arrivals = useRef<number[]>([]);
  // Whether older pages were loaded: then arriving events push none of them out.
  const isExtended = useRef(false);

  const query = { event, distinct_id, properties, after, before, limit: PAGE_SIZE };
  const inputs = [projectId, event, distinct_id, properties, after, before];
  const list = useResource((signal) => listEvents(projectId, query, signal), inputs);
  const { data, loading, reload } = list;
  // Another filter starts with an empty table.
  const asked = inputs.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each query
  useEffect(() => {
    queued.current = [];
    isExtended.current = false;
    setEvents([]);
    setHasOlder(false);
    setHeld(0);
    setSkipped(0);
  }, [asked]);
  useEffect(() => {
    if (!data) return;
    setEvents((shown) => merge(shown, data.results));
    if (!isExtended.current) setHasOlder(data.next !== null);
  }, [data]);
  const latest = useRef(asked);
  latest.current = asked;
  const older = useAction(async () => {
    const place = olderThan(events);
    if (place === null) return;
    const page = await listEvents(projectId, { ...query, ...place });
    if (latest.current !== asked) return;
    isExtended.current = true;
    setEvents((shown) => merge(shown, page.results));
    setHasOlder(page.next !== null);
  });

  const isLive = before === undefined;
  useEffect(
    () =>
      isLive
        ? watchEvents(
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
          )
        : undefined,
    [projectId, event, distinct_id, isLive, reload],
  );

  const draw = useCallback(() => {
    const now = Date.now();
    arrivals.current = arrivals.current.filter((at) => at > now - RATE_SECONDS * 1000);
    setRate(countPerSecond(arrivals.current, now, RATE_SECONDS));
    setHeld(isPaused ? queued.current.length : 0);
    // Wait for a running reload: on a busy project none would ever finish.
    if (isPaused || queued.current.length === 0 || (properties !== undefined && loading)) return;
    const arrived = queued.current.splice(0);
    if (properties === undefined) setEvents((shown) => add(shown, arrived, !isExtended.current));
    else reload();
  }, [isPaused, properties, loading, reload]);
  useEffect(() => {
    draw();
    const timer = setInterval(draw, DRAW_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [draw]);

  return {
    events,
    held,
    rate,
    isConnected,
    skipped,
    loading,
    error: list.error,
    reload,
    loadOlder: hasOlder ? () => void older.run() : null,
    isLoadingOlder: older.busy,
    olderError: older.error,
  };
}
