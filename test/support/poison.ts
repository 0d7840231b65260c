/** Makes real dead letters: a stopped server's own stores, with one rule that fails for events named `poison`. */
import { join } from 'node:path';
import { writeContext } from '../../src/ingest/accept/request-context.ts';
import { Definitions, type Sightings } from '../../src/ingest/process/definition-recorder.ts';
import { processChunk } from '../../src/ingest/process/process-chunk.ts';
import { directSink } from '../../src/ingest/process/sink.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { FILES } from '../../src/stores/data-files.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { IngestLog } from '../../src/stores/ingest/ingest-log.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { openIngestLog } from '../../src/stores/sqlite/ingest-log.ts';
import { openIngestLogReader } from '../../src/stores/sqlite/ingest-log-reader.ts';
import { openRelationalShelf } from '../../src/stores/sqlite/metadata-store.ts';

class PoisonedDefinitions extends Definitions {
  override chunk(): Sightings {
    const sightings = super.chunk();
    const see = sightings.see.bind(sightings);
    sightings.see = (event, groups) => {
      if (event.event === 'poison') throw new Error('boom');
      see(event, groups);
    };
    return sightings;
  }
}

export interface OpenFolder {
  metadata: MetadataStore;
  log: IngestLog;
  close(): Promise<void>;
}

/** The shelves of a stopped server's folder. */
export async function openFolder(dataDir: string): Promise<OpenFolder & { after: number }> {
  const { metadata, ingest } = await openRelationalShelf(join(dataDir, FILES.metadata), 0);
  const after = await ingest.position();
  const log = openIngestLog(join(dataDir, FILES.log), { maxBytes: 1e9, after });
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

/** Takes a request as the server would at `receivedAt`, and processes it with the poisoned rule. */
export async function processPoisoned(
  dataDir: string,
  projectId: number,
  body: object,
  receivedAt: number,
  events = 1,
): Promise<void> {
  const { metadata, ingest } = await openRelationalShelf(join(dataDir, FILES.metadata), 0);
  const after = await ingest.position();
  const log = openIngestLog(join(dataDir, FILES.log), { maxBytes: 1e9, after });
  const context = writeContext({ ip: '10.1.2.3', sentAt: null, engage: false, historical: false });
  const payload = Buffer.from(JSON.stringify(body));
  await log.append({ projectId, receivedAt, events, context, seed: randomIds.seed(), payload });
  const reader = openIngestLogReader(join(dataDir, FILES.log));
  const store = await openEventStore(join(dataDir, FILES.events));
  const entries = reader.read(after, 1000, 1e9);
  const definitions = new PoisonedDefinitions(randomIds);
  await processChunk({ ingest, sink: directSink(store), definitions }, entries, { now: receivedAt + 1000 });
  reader.close();
  await store.close();
  await log.close();
  await metadata.close();
}
