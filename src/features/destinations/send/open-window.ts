import type { QueryDeps } from '../../../query/query-deps.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type SentEvent, sentProject, templateValues } from '../rules/event-values.ts';
import { lanesOf } from '../rules/lanes.ts';
import { applyMask, type Mask, maskHash } from '../rules/masking.ts';
import type { Destination, QueueRow } from '../store/destination-store.ts';
import { findQueuedEvents } from './find-queued-events.ts';
import { countOutcome, type QueueWindow, type WaitingEvent } from './queue-window.ts';

export interface WindowDeps extends QueryDeps {
  publicUrl: string | null;
  /** Everything that was received before then can be queried. */
  queryableBefore(): Promise<number>;
}

/** Taken from the queue together. */
const WINDOW_EVENTS = 200;

/** The next events of the queue, behind what is left of `base`. Null: none can be sent yet. */
export async function openWindow(
  deps: WindowDeps,
  destination: Destination,
  project: Project,
  base: QueueWindow | null,
): Promise<QueueWindow | null> {
  const { metadata, queryableBefore } = deps;
  const queued = await metadata.destinations.listQueued(destination.id, WINDOW_EVENTS, base?.rows.at(-1) ?? 0);
  // Asked after the rows were read, so that it holds for all of them.
  const before = queued.length > 0 ? await queryableBefore() : 0;
  const rows = takeWhile(queued, ({ receivedAt }) => receivedAt < before);
  if (rows.length === 0) return null;
  const { events, filtered, missing } = await findQueuedEvents(deps, project, destination.filters, {
    uuids: rows.flatMap(({ uuids }) => uuids),
    firstTimestamp: Math.min(...rows.map((row) => row.firstTimestamp)),
    lastTimestamp: Math.max(...rows.map((row) => row.lastTimestamp)),
  });
  const valued = await withValues(deps, project, events);
  const { sent, masks } = await applyMasking(deps, destination, valued, base?.masks ?? new Map());
  const left = [...(base?.lanes.flat() ?? []), ...sent];
  const window: QueueWindow = {
    revision: destination.revision,
    rows: [...(base?.rows ?? []), ...rows.map(({ id }) => id)],
    lanes: destination.inputs.batch ? [left] : lanesOf(left),
    masks,
    counts: base?.counts ?? new Map(),
    lines: [],
    failures: base?.failures ?? new Map(),
    delivered: base?.delivered ?? 0,
    latest: Math.max(...rows.map(({ receivedAt }) => receivedAt)),
  };
  countOutcome(window, 'filtered', filtered);
  countOutcome(window, 'skipped', missing);
  countOutcome(window, 'masked', valued.length - sent.length);
  return window;
}

async function withValues(
  { metadata, publicUrl }: WindowDeps,
  project: Project,
  events: readonly SentEvent[],
): Promise<WaitingEvent[]> {
  if (events.length === 0) return [];
  const uuids = [...new Set(events.map(({ personId }) => personId))];
  const persons = new Map((await metadata.eventPersons.listByUuids(project.id, uuids)).map((one) => [one.uuid, one]));
  const shown = sentProject(project, publicUrl);
  return events.map((event) => ({ ...event, values: templateValues(event, persons.get(event.personId), shown) }));
}

async function applyMasking(
  { metadata }: WindowDeps,
  { id, masking }: Destination,
  events: readonly WaitingEvent[],
  before: ReadonlyMap<string, Mask>,
) {
  const masks = new Map(before);
  if (masking === null || events.length === 0) return { sent: [...events], masks };
  const hashes = events.map(({ values }) => maskHash(masking, values));
  const stored = await metadata.destinations.listMasks(id, [...new Set(hashes)]);
  const known = new Map(stored.map((mask) => [mask.hash, mask]));
  const sent = events.filter((event, i) => {
    const hash = hashes[i] ?? '';
    const { mask, isSent } = applyMask(masking, masks.get(hash) ?? known.get(hash), hash, event.createdAt);
    masks.set(hash, mask);
    return isSent;
  });
  return { sent, masks };
}

function takeWhile(rows: readonly QueueRow[], isTaken: (row: QueueRow) => boolean): QueueRow[] {
  const end = rows.findIndex((row) => !isTaken(row));
  return end === -1 ? [...rows] : rows.slice(0, end);
}
