/**
 * Compares the stores of one machine at start, before anything is processed. Usually they agree, or the event store is
 * ahead by the chunk that was being processed, which is still in the log. Otherwise one of them was damaged or replaced.
 * What is missing is taken from the log where it still is. The rest is recorded as a loss, and everything goes on: new
 * events matter more than a decision about lost ones.
 *
 * Every step can be repeated after a crash: the metadata store changes in one transaction, then the event store follows.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Dialect } from '../../stores/events/dialect.ts';
import type { BatchTotals, EventStore, PersonOverride } from '../../stores/events/event-store.ts';
import type { ChunkReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { EventId, IngestStore } from '../../stores/ingest/ingest-store.ts';
import { isPast, type LogProgress } from '../../stores/ingest/log-progress.ts';
import { addLoss, describeLoss, type EventLoss } from '../../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { MetadataProgress } from '../../stores/metadata/recovery.ts';
import { normaliseEntries } from '../process/normalise-entries.ts';
import { countMissingEvents, countMissingMetadata, countMissingRequests } from './count-loss.ts';
import { listMissing } from './list-missing.ts';

interface EventsState {
  progress: LogProgress;
  totals: BatchTotals | null;
}

interface ReconcileDeps {
  metadata: Pick<MetadataStore, 'recovery' | 'installation' | 'transaction'>;
  ingest: Pick<IngestStore, 'transaction'>;
  events: Pick<EventStore, 'query'> & {
    fileState(): Promise<EventsState>;
    continueFrom(state: EventsState & { overrides: readonly PersonOverride[] }): Promise<void>;
  };
  dialect: Dialect;
  log: Pick<ChunkReader, 'between' | 'get'> & { totals(progress: LogProgress): { accepted: number; pending: number } };
  clock: Clock;
  logger: Logger;
}

export async function reconcileStores(deps: ReconcileDeps): Promise<void> {
  const metadata = await deps.metadata.recovery.getProgress();
  const events = await deps.events.fileState();
  if (isPast(metadata.progress, events.progress)) await followMetadata(deps, metadata, events);
  else if (!(await canCatchUp(deps.log, metadata.progress, events.progress))) {
    await followEvents(deps, metadata, events);
  }
  await checkRequests(deps);
}

/** The event store is behind. If the log has some of what is missing, both continue from there. */
async function followMetadata(deps: ReconcileDeps, metadata: MetadataProgress, events: EventsState): Promise<void> {
  const { recovery } = deps.metadata;
  const entries = await deps.log.between(events.progress, metadata.progress);
  await forgetStored(deps, entries);
  const replayed = entries.reduce((sum, entry) => sum + entry.events, 0);
  const progress = entries.length > 0 ? events.progress : metadata.progress;
  const known = events.totals?.counts ?? (events.progress.position === 0 ? {} : null);
  const { events: lost, counts } = countMissingEvents(metadata.counts, known, replayed);
  const loss = newLoss(deps, 'events', lost, events.progress, metadata.progress, {
    from: events.totals?.receivedAt ?? null,
    to: await recovery.latestProcessedAt(),
  });
  await deps.metadata.transaction(async (store) => {
    await store.recovery.setProgress({ progress, counts });
    await store.recovery.repeatDeletions();
    if (lost !== 0) await addLoss(store.installation, loss);
  });
  const totals = { receivedAt: loss.receivedTo ?? loss.receivedFrom ?? 0, counts };
  await deps.events.continueFrom({ progress, totals, overrides: await recovery.listOverrides() });
  report(deps, lost === 0 ? null : loss, replayed);
}

/** The metadata store is behind, and the log no longer has what it would need to catch up. */
async function followEvents(deps: ReconcileDeps, metadata: MetadataProgress, events: EventsState): Promise<void> {
  const { events: lost, counts } = countMissingMetadata(metadata.counts, events.totals?.counts ?? null);
  const loss = newLoss(deps, 'metadata', lost, metadata.progress, events.progress, {
    from: await deps.metadata.recovery.latestProcessedAt(),
    to: events.totals?.receivedAt ?? null,
  });
  await deps.metadata.transaction(async ({ recovery, installation }) => {
    await recovery.setProgress({ progress: events.progress, counts });
    await addLoss(installation, loss);
  });
  report(deps, loss, 0);
}

/** Whether the log has what only the event store has processed; there may be nothing. */
async function canCatchUp(log: ReconcileDeps['log'], from: LogProgress, to: LogProgress): Promise<boolean> {
  if (!isPast(to, from)) return true;
  const isComplete = to.position <= from.position || (await log.get(to.position)) !== null;
  return isComplete && (await log.between(from, to)).length > 0;
}

/** An entry is missing in the middle of the log only if its file was changed. */
async function checkRequests(deps: ReconcileDeps): Promise<void> {
  const { metadata, log, clock } = deps;
  const { progress, counts } = await metadata.recovery.getProgress();
  const missing = countMissingRequests(counts, log.totals(progress));
  if (missing.events === 0) return;
  const loss = newLoss(deps, 'log', missing.events, progress, progress, {
    from: await metadata.recovery.latestProcessedAt(),
    to: clock.now(),
  });
  await metadata.transaction(async ({ recovery, installation }) => {
    await recovery.setProgress({ progress, counts: missing.counts });
    await addLoss(installation, loss);
  });
  report(deps, loss, 0);
}

const newLoss = (
  { clock }: ReconcileDeps,
  store: EventLoss['store'],
  events: number | null,
  after: LogProgress,
  upTo: LogProgress,
  received: { from: number | null; to: number | null },
): EventLoss => ({
  store,
  events,
  receivedFrom: received.from,
  receivedTo: received.to,
  after: after.position,
  upTo: upTo.position,
  foundAt: clock.now(),
  acceptedAt: null,
});

function report({ logger }: Pick<ReconcileDeps, 'logger'>, loss: EventLoss | null, replayed: number): void {
  if (replayed > 0)
    logger.warn({ events: replayed }, 'the event store was behind; missing events are still in the log');
  if (loss) logger.error({ loss }, `${describeLoss(loss)}; see cairn recover`);
}

/** Events of these entries count as stored before: they are forgotten where they are not, so that they are stored. */
async function forgetStored(deps: ReconcileDeps, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const missing = await listMissing(deps, await idsOf(deps, entries));
  await deps.metadata.transaction(({ recovery }) => recovery.forgetSeen(missing));
}

async function idsOf({ ingest }: ReconcileDeps, entries: readonly LogEntry[]): Promise<EventId[]> {
  const ids = [...new Set(entries.map(({ projectId }) => projectId))];
  const projects = await ingest.transaction((store) => store.listProjects(ids));
  return normaliseEntries(entries, new Map(projects.map((project) => [project.id, project]))).flatMap(
    ({ outcome, entry }) =>
      outcome.kind === 'event' ? [{ projectId: entry.projectId, uuid: outcome.event.uuid }] : [],
  );
}
