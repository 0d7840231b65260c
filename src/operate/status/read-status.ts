import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from '@sinclair/typebox';
import type { ProcessingOutage } from '../../ingest/accept/processed-notice.ts';
import type { IngestCounts } from '../../ingest/track/ingest-counts.ts';
import { diskSpace } from '../../lib/disk-space.ts';
import type { EventStore, PromotedProperty } from '../../stores/events/event-store.ts';
import { readOpenLosses } from '../../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { VERSION } from '../../version.ts';
import { LAST_BACKUP } from '../backup/backup.ts';
import { presentLoss } from '../losses.ts';
import type { StatusSchema } from './status-schemas.ts';

interface StatusDeps {
  dataDir: string;
  metadata: Pick<MetadataStore, 'check' | 'installation'>;
  events: Pick<EventStore, 'query' | 'listPromotedProperties'>;
  counts(): Promise<IngestCounts>;
  /** What processing waits for. */
  outage(): ProcessingOutage | null;
  /** Null on one machine. */
  describe(): Promise<Static<typeof StatusSchema>['cluster']>;
}

/** Answers whichever stores are down: that is when it is needed. */
export async function readStatus({
  dataDir,
  metadata,
  events,
  counts,
  outage,
  describe,
}: StatusDeps): Promise<Static<typeof StatusSchema>> {
  let engine = 'unknown';
  const askEngine = async (): Promise<void> => {
    const [row] = await events.query('select version() as version', []);
    engine = String(row?.['version']);
  };
  const [ofMetadata, ofEvents] = await Promise.all([statusOfCheck(metadata.check()), statusOfCheck(askEngine())]);
  const promoted = ofEvents === 'ok' ? await withTimeLimit(events.listPromotedProperties()).catch(() => []) : [];
  const { deadLettered, lagMs, ...ingest } = await withTimeLimit(counts()).catch(() => UNKNOWN_COUNTS);
  const { dataBytes, parts, freeBytes, totalBytes } = await diskSpace(dataDir);
  return {
    version: VERSION,
    versions: { node: process.version, events: engine },
    uptime_seconds: Math.round(process.uptime()),
    stores: { metadata: ofMetadata, events: ofEvents },
    ingest: { ...ingest, dead_lettered: deadLettered, lag_ms: lagMs, waiting_for: presentOutage(outage()) },
    disk: { data_bytes: dataBytes, by_store: byStore(parts), free_bytes: freeBytes, total_bytes: totalBytes },
    losses: (await readOpenLosses(metadata.installation).catch(() => [])).map(presentLoss),
    last_backup_at: await metadata.installation.get(LAST_BACKUP).catch(() => null),
    promoted_columns: countPromoted(promoted),
    cluster: await withTimeLimit(describe()).catch(() => null),
  };
}

const presentOutage = (outage: ProcessingOutage | null) =>
  outage && { since: new Date(outage.since).toISOString(), reason: outage.reason };

/** As shown by `/_readyz`: to anybody, so without the reason. */
export const describeOutage = ({ since }: ProcessingOutage): string =>
  `Events are accepted, but could not be processed since ${new Date(since).toISOString()}; /_status says why.`;

/** Each store's files have names that begin alike; the rest are copies and sockets. */
function byStore(parts: ReadonlyMap<string, number>) {
  const sizes = { events: 0, metadata: 0, log: 0, other: 0 };
  for (const [name, bytes] of parts) {
    if (name.startsWith('events.')) sizes.events += bytes;
    else if (name.startsWith('metadata.')) sizes.metadata += bytes;
    else if (name.startsWith('ingest-')) sizes.log += bytes;
    else sizes.other += bytes;
  }
  return sizes;
}

/** While PostgreSQL is down. */
const UNKNOWN_COUNTS: IngestCounts = {
  accepted: -1,
  stored: -1,
  duplicate: -1,
  dropped: {},
  deadLettered: -1,
  lost: -1,
  pending: -1,
  labelled: { bots: -1, own: -1 },
  lagMs: -1,
};

const TIMEOUT_MS = 5000;

const withTimeLimit = <T>(check: Promise<T>): Promise<T> =>
  Promise.race([
    check,
    sleep(TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`);
    }),
  ]);

const statusOfCheck = (check: Promise<unknown>): Promise<string> =>
  withTimeLimit(check)
    .then(() => 'ok')
    .catch((error: Error) => error.message);

/** Without the names, which belong to the projects. */
function countPromoted(promoted: readonly PromotedProperty[]) {
  const filling = promoted.filter(({ filled }) => filled < 1).map(({ filled }) => filled);
  return { ready: promoted.length - filling.length, filling };
}
