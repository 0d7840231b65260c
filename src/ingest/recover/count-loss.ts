/** How many events a store has lost, from what the stores have counted. */

type Counts = Readonly<Record<string, number>>;

/** The fate of events that were stored, or accepted, and are gone. */
export const LOST = 'lost';

const sum = (counts: Counts): number => Object.values(counts).reduce((total, count) => total + count, 0);

const add = (counts: Counts, fate: string, by: number): Record<string, number> => ({
  ...counts,
  [fate]: (counts[fate] ?? 0) + by,
});

interface LossCount {
  /** Null where the event file is of an earlier version, which did not count. */
  events: number | null;
  /** The counts of the metadata store from now on; their sum plus what is pending is what was accepted. */
  counts: Record<string, number>;
}

/**
 * The event store is behind. `replayed`: events of those of the missing requests that are still in the log and will be
 * processed again.
 */
export function countMissingEvents(metadata: Counts, events: Counts | null, replayed: number): LossCount {
  if (events === null) return { events: null, counts: add(metadata, 'stored', -replayed) };
  if (replayed > 0) {
    const lost = Math.max(0, sum(metadata) - sum(events) - replayed);
    return { events: lost, counts: lost > 0 ? add(events, LOST, lost) : { ...events } };
  }
  const lost = Math.max(0, (metadata['stored'] ?? 0) - (events['stored'] ?? 0));
  return { events: lost, counts: lost > 0 ? add(add(metadata, 'stored', -lost), LOST, lost) : { ...metadata } };
}

/** The metadata store is behind. What the event store has counted is what happened. */
export const countMissingMetadata = (metadata: Counts, events: Counts | null): LossCount =>
  events === null
    ? { events: null, counts: { ...metadata } }
    : { events: (events['stored'] ?? 0) - (metadata['stored'] ?? 0), counts: { ...events } };

/** Requests that were accepted and are neither processed nor in the log. */
export function countMissingRequests(metadata: Counts, log: { accepted: number; pending: number }): LossCount {
  const lost = Math.max(0, log.accepted - log.pending - sum(metadata));
  return { events: lost, counts: lost > 0 ? add(metadata, LOST, lost) : { ...metadata } };
}
