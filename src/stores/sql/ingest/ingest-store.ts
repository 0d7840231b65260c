/**
 * The ingest store on any SQL database. Statements work on many rows as one bound JSON value (`dialect.rows`), so a
 * chunk of thousands of events needs a dozen statements.
 */
import { sql } from 'kysely';
import { type IngestStore, type IngestTransaction, LABEL } from '../../ingest/ingest-store.ts';
import { aheadFromText, aheadToText, type LogProgress, progressAt } from '../../ingest/log-progress.ts';
import { readCookielessVisitors } from '../cookieless-visitors.ts';
import type { SqlDialect } from '../dialect.ts';
import { listChangedPersons } from '../person-change.ts';
import type { BlockChanges } from '../seen/block-index.ts';
import { forgetBefore } from '../seen/manage-seen.ts';
import { SeenEvents } from '../seen/seen-events.ts';
import type { Db, Sql } from '../tables.ts';
import { applyChanges } from './apply-changes.ts';
import {
  countDefinitions,
  readDefined,
  readDestinations,
  readExports,
  readGroups,
  readGroupTypes,
  readPersons,
  readProjects,
  readTakenUuids,
  readWebhookEvents,
} from './read-known.ts';
import { completeReassignments, pendingReassignments } from './reassignments.ts';
import type { ReadRow } from './write-persons.ts';

/** The log of the embedded backend; a cluster has one for each partition. */
const MAIN_LOG = 'main';

interface IngestStoreOptions {
  /** The log whose position is stored. */
  log?: string;
  seen?: SeenEvents;
}

export function sqlIngestStore(
  db: Db,
  dialect: SqlDialect,
  { log = MAIN_LOG, seen = new SeenEvents(db, dialect) }: IngestStoreOptions = {},
): IngestStore {
  return {
    position: async () => (await readLogProgress({ db, dialect }, log)).position,
    progress: () => readLogProgress({ db, dialect }, log),
    pendingReassignments: () => pendingReassignments({ db, dialect }),
    async transaction(work) {
      const blocks: BlockChanges[] = [];
      const result = await db.transaction().execute(async (tx) => {
        await dialect.lock(tx, 'chunk');
        return work(sqlIngestTransaction({ db: tx, dialect }, seen, { log, onBlocks: (added) => blocks.push(added) }));
      });
      for (const added of blocks) seen.committed(added);
      return result;
    },
    listChangedPersons: (projectId, after, limit) => listChangedPersons({ db, dialect }, projectId, after, limit),
    getCounts: () => readCountsAndLabels({ db, dialect }),
    async deleteBefore(time) {
      await db.deleteFrom('droppedEvents').where('droppedAt', '<', time).execute();
      await db.deleteFrom('ingestionWarnings').where('happenedAt', '<', time).execute();
    },
    forgetBefore: (projectId, time) => forgetBefore(db, dialect, projectId, time),
    needsMaintenance: () => seen.packer.isDue,
    maintain: () => seen.packer.packSome(),
    purge: () => dialect.purge(db),
    close: () => db.destroy(),
  };
}

interface IngestTransactionOptions {
  log?: string;
  /** Called with blocks of ids that are known once they are committed. */
  onBlocks?(added: BlockChanges): void;
}

/** Inside a transaction that has the write lock. */
export function sqlIngestTransaction(
  on: Sql,
  seen: SeenEvents,
  { log = MAIN_LOG, onBlocks }: IngestTransactionOptions = {},
): IngestTransaction {
  let searchedUpTo = 0;
  const known = new Map<string, ReadRow>();
  return {
    progress: () => readLogProgress(on, log),
    getCounts: () => readCounts(on),
    pendingReassignments: () => pendingReassignments(on),
    completeReassignments: (done) => completeReassignments(on, done),
    listProjects: (ids) => readProjects(on, ids),
    listPersonsByDistinctIds: (ids) => readPersons(on, ids, known),
    listTakenUuids: (uuids) => readTakenUuids(on, uuids),
    async listSeenEvents(events) {
      const { found, upTo } = await seen.find(on, events);
      searchedUpTo = upTo;
      return found;
    },
    listGroupTypes: (projectIds) => readGroupTypes(on, projectIds),
    listGroups: (keys) => readGroups(on, keys),
    listCookielessVisitors: (keys) => readCookielessVisitors(on, keys),
    listWebhookEvents: (projectIds) => readWebhookEvents(on, projectIds),
    listDestinations: (projectIds) => readDestinations(on, projectIds),
    listExports: (projectIds) => readExports(on, projectIds),
    countDefinitions: (projectId) => countDefinitions(on, projectId),
    listDefined: (projectId, changes) => readDefined(on, projectId, changes),
    apply: async (changes) => {
      const blocks = await seen.add(on, changes.seen);
      if (blocks) onBlocks?.(blocks);
      await applyChanges(on, changes, known);
      // What was read is no longer what is stored.
      known.clear();
      if (on.dialect.hasConcurrentChunks) await seen.assertNew(on, changes.seen, searchedUpTo);
      const { position, ahead = new Map() } = changes;
      if (position !== null) await writeLogProgress(on, { position, ahead }, log);
    },
  };
}

export async function readLogProgress({ db }: Sql, log = MAIN_LOG): Promise<LogProgress> {
  const row = await db
    .selectFrom('ingestPosition')
    .select(['position', 'ahead'])
    .where('log', '=', log)
    .executeTakeFirst();
  return row ? { position: Number(row.position), ahead: aheadFromText(row.ahead) } : progressAt(0);
}

export async function writeLogProgress({ db }: Sql, progress: LogProgress, log = MAIN_LOG): Promise<void> {
  const { position, ahead } = progress;
  await sql`insert into ingest_position (log, position, ahead) values (${log}, ${position}, ${aheadToText(ahead)})
    on conflict (log) do update set position = excluded.position, ahead = excluded.ahead`.execute(db);
}

/** Fates only, which add up to what was accepted. */
export async function readCounts(on: Sql): Promise<Record<string, number>> {
  const counts = await readCountsAndLabels(on);
  return Object.fromEntries(Object.entries(counts).filter(([name]) => !name.startsWith(LABEL)));
}

async function readCountsAndLabels({ db }: Sql): Promise<Record<string, number>> {
  const rows = await db.selectFrom('eventCounters').selectAll().execute();
  return Object.fromEntries(rows.map(({ fate, count }) => [fate, Number(count)]));
}
