/** Creates real dead letters in a stopped server's stores: processing fails for events named `poison`. */
import { join } from 'node:path';
import { serializeRequestContext } from '../../src/ingest/accept/request-context.ts';
import { DefinitionLimits } from '../../src/ingest/process/definition-limits.ts';
import { DefinitionRecorder, type SeenDefinitions } from '../../src/ingest/process/definition-recorder.ts';
import { processChunk } from '../../src/ingest/process/process-chunk.ts';
import { eventStoreSink } from '../../src/ingest/process/sink.ts';
import { StepTimes } from '../../src/ingest/process/step-times.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { IngestLog } from '../../src/stores/ingest/ingest-log.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { openIngestLog } from '../../src/stores/segment-log/ingest-log.ts';
import { openIngestLogReader } from '../../src/stores/segment-log/ingest-log-reader.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';

class PoisonedDefinitions extends DefinitionRecorder {
  override startChunk(now: number): SeenDefinitions {
    const seen = super.startChunk(now);
    const record = seen.record.bind(seen);
    seen.record = (event, groups) => {
      if (event.event === 'poison') throw new Error('boom');
      record(event, groups);
    };
    return seen;
  }
}

interface OpenFolder {
  metadata: MetadataStore;
  log: IngestLog;
  close(): Promise<void>;
}

/** Opens the stores of a stopped server. */
export async function openFolder(dataDir: string): Promise<OpenFolder & { after: number }> {
  const { metadata, ingest } = await openMetadataStore(join(dataDir, DATA_FILES.metadata), 0);
  const after = await ingest.position();
  const log = await openIngestLog(join(dataDir, DATA_FILES.log), { maxBytes: 1e9, startAfter: after });
  return {
    metadata,
    log,
    after,
    close: async () => {
      await log.close();
      await metadata.close();
    },
  };
}

/** Accepts a request as the server would at `receivedAt`, and processes it with the failing step. */
export async function processPoisoned(
  dataDir: string,
  projectId: number,
  body: object,
  receivedAt: number,
  events = 1,
): Promise<void> {
  const { metadata, ingest } = await openMetadataStore(join(dataDir, DATA_FILES.metadata), 0);
  const after = await ingest.position();
  const log = await openIngestLog(join(dataDir, DATA_FILES.log), { maxBytes: 1e9, startAfter: after });
  const context = serializeRequestContext({ ip: '10.1.2.3', sentAt: null, engage: false, historical: false });
  const payload = Buffer.from(JSON.stringify(body));
  await log.append({ projectId, receivedAt, events, context, seed: randomIds.seed(), payload });
  const reader = openIngestLogReader(join(dataDir, DATA_FILES.log), log.head);
  const store = await openEventStore(join(dataDir, DATA_FILES.events));
  const entries = reader.read(after, 1000, 1e9);
  const definitions = new PoisonedDefinitions(randomIds);
  const limits = new DefinitionLimits({ eventNames: 1000, propertyNames: 1000 });
  const deps = { ingest, sink: eventStoreSink(store), definitions, limits, stepTimes: new StepTimes() };
  await processChunk(deps, entries, { now: receivedAt + 1000 });
  reader.close();
  await store.close();
  await log.close();
  await metadata.close();
}
