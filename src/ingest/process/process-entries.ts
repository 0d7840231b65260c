/**
 * Processes entries of the log as one chunk; where that fails because of the entries, one by one; and the events of an
 * entry that fails even alone become dead letters, so that it never blocks those behind it. An outage of a store is
 * thrown: the caller tries again.
 */
import { type ExtractedEvents, extractEvents } from '../../core/events/extract-events.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import { NO_CHANGES } from '../../stores/ingest/no-changes.ts';
import { derivedUuid, parseRequestContext } from '../accept/request-context.ts';
import { FateRecorder } from './fate-recorder.ts';
import { type ChunkDeps, type ChunkOptions, type ProcessedChunk, processChunk } from './process-chunk.ts';

export interface ProcessDeps extends ChunkDeps {
  clock: Clock;
  logger: Logger;
  /** Whether an error is about the store and not about the events. */
  isOutage(error: unknown): boolean;
}

interface ProcessOptions extends Omit<ChunkOptions, 'now'> {
  /** Called after each commit. */
  onProcessed(chunk: ProcessedChunk): void;
}

export async function processEntries(
  deps: ProcessDeps,
  entries: readonly LogEntry[],
  options: ProcessOptions,
): Promise<void> {
  const { onProcessed, ...chunkOptions } = options;
  try {
    onProcessed(await processChunk(deps, entries, { ...chunkOptions, now: deps.clock.now() }));
  } catch (error) {
    if (deps.isOutage(error)) throw error;
    deps.logger.warn({ err: error, entries: entries.length }, 'a chunk failed; processing its entries one by one');
    for (const entry of entries) onProcessed(await processAlone(deps, entry));
  }
}

async function processAlone(deps: ProcessDeps, entry: LogEntry): Promise<ProcessedChunk> {
  try {
    return await processChunk(deps, [entry], { now: deps.clock.now() });
  } catch (error) {
    if (deps.isOutage(error)) throw error;
    deps.logger.error({ err: error, seq: entry.seq }, 'an entry cannot be processed; its events become dead letters');
    return deadLetterEntry(deps, entry, error);
  }
}

/** One dead letter for each event, so that they can be replayed one by one. */
async function deadLetterEntry(deps: ProcessDeps, entry: LogEntry, error: unknown): Promise<ProcessedChunk> {
  const fates = new FateRecorder(deps.clock.now());
  const { events, isSingle } = rawEvents(entry);
  const context = parseRequestContext(entry.context);
  context.engage &&= isSingle;
  for (const [index, raw] of events.entries()) {
    const fallbackUuid = derivedUuid(entry, index);
    fates.recordFailed({ entry, context, raw, fallbackUuid, outcome: { kind: 'failed', error } }, error);
  }
  return writeFates(deps, entry, fates);
}

/** Sets an entry aside as it came, without reading it: that would end the process once more. */
export function setAside(deps: ProcessDeps, entry: LogEntry): Promise<ProcessedChunk> {
  deps.logger.error(
    { seq: entry.seq, project: entry.projectId },
    'an entry ends the process; it becomes a dead letter',
  );
  const fates = new FateRecorder(deps.clock.now());
  fates.recordUnreadable(entry, derivedUuid(entry, 0));
  return writeFates(deps, entry, fates);
}

async function writeFates(deps: ProcessDeps, entry: LogEntry, fates: FateRecorder): Promise<ProcessedChunk> {
  const { ingest, sink, logger } = deps;
  const entries = [entry];
  const progress = await sink.progress(entries);
  const reached = progress ?? { position: null };
  const afterCommit = await ingest.transaction(async (store) => {
    await store.apply({ ...NO_CHANGES, ...fates.changes(), ...reached });
    return sink.writeNothing(entries, store);
  });
  await afterCommit?.().catch((err: unknown) => {
    logger.warn({ err, seq: entry.seq }, 'the event store will record with the next chunk that an entry is processed');
  });
  const none = { stored: [], messages: 0, projectsWithNewGroupTypes: [], persons: [] };
  return { entries, progress, events: entry.events, ...none };
}

function rawEvents(entry: LogEntry): Pick<ExtractedEvents, 'events' | 'isSingle'> {
  const text = entry.payload.toString('utf8');
  try {
    return extractEvents(parseJson(text));
  } catch {
    // It was readable when it was accepted; if it no longer is, at least nothing is lost.
    return { events: Array.from({ length: entry.events }, () => ({ unreadable: text })), isSingle: false };
  }
}
