/** Reads and forgets ids outside of chunks: what became of an event, losses, retention. */
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS } from '../../../core/time/units.ts';
import type { EventId } from '../../ingest/ingest-store.ts';
import type { SqlDialect } from '../dialect.ts';
import type { Db, Sql } from '../tables.ts';
import { listBlocksAround, readIds, shrinkBlock } from './block-rows.ts';
import { findPacked } from './find-seen.ts';
import { filterIds, type IdList, type ListedId, uuidAt } from './id-list.ts';

/** Times in blocks are rounded down by less than this, even if they span decades. */
const MAX_TIME_UNIT_MS = DAY_MS;

export async function getSeen(on: Sql, projectId: number, uuid: string) {
  const row = await on.db
    .selectFrom('seenEvents')
    .select(['uuid', 'receivedAt', 'processedAt', 'repeats'])
    .where('projectId', '=', projectId)
    .where('uuid', '=', uuid)
    .executeTakeFirst();
  const found: ListedId | null = row ?? (await findPacked(on, projectId, uuid));
  if (found === null) return null;
  const repeats = Number(row?.repeats ?? 0) + (await countRepeats(on, projectId, uuid));
  return { receivedAt: Number(found.receivedAt), processedAt: Number(found.processedAt), repeats };
}

async function countRepeats({ db }: Sql, projectId: number, uuid: string): Promise<number> {
  const ofEvent = db.selectFrom('eventRepeats').where('projectId', '=', projectId).where('uuid', '=', uuid);
  return Number((await ofEvent.select('repeats').executeTakeFirst())?.repeats ?? 0);
}

export async function latestProcessedAt({ db }: Sql): Promise<number | null> {
  const { rows } = await sql<{ latest: number | null }>`
    select max(latest) as latest from (
      select max(processed_at) as latest from seen_events
      union all
      select max(processed_to) from seen_blocks
    ) l`.execute(db);
  return rows[0]?.latest == null ? null : Number(rows[0].latest);
}

interface TimeRange {
  from: number;
  to: number;
}

/**
 * Events that were processed within a range, at least, in batches. Rows first: what is packed meanwhile is in a block with
 * a greater number than those before, and is listed twice.
 */
export async function* listProcessed(on: Sql, processed: TimeRange, limit: number): AsyncGenerator<EventId[]> {
  yield* listRows(on, processed, limit);
  let batch: EventId[] = [];
  for await (const events of listPacked(on, processed)) {
    batch.push(...events);
    if (batch.length < limit) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* listPacked(on: Sql, processed: TimeRange): AsyncGenerator<EventId[]> {
  for (let after = 0; ; ) {
    const block = await on.db
      .selectFrom('seenBlocks')
      .select(['id', 'projectId'])
      .where('id', '>', after)
      .where('processedFrom', '<=', processed.to)
      .where('processedTo', '>=', processed.from - MAX_TIME_UNIT_MS)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (block === undefined) return;
    after = Number(block.id);
    const packed = (await readIds(on, [after])).get(after);
    if (packed === undefined) continue;
    const list = packed.unpack();
    yield uuidsOf(list, (at) => {
      const time = list.processedAt[at] as number;
      return time + packed.timeUnit > processed.from && time <= processed.to;
    }).map((uuid) => ({ projectId: Number(block.projectId), uuid }));
  }
}

function uuidsOf(list: IdList, isChosen: (at: number) => boolean): string[] {
  const uuids: string[] = [];
  for (let at = 0; at < list.length; at++) if (isChosen(at)) uuids.push(uuidAt(list, at));
  return uuids;
}

async function* listRows({ db }: Sql, processed: TimeRange, limit: number): AsyncGenerator<EventId[]> {
  for (let after: EventId = { projectId: 0, uuid: '' }; ; ) {
    const rows = await db
      .selectFrom('seenEvents')
      .select(['projectId', 'uuid'])
      .where('processedAt', '>=', processed.from)
      .where('processedAt', '<=', processed.to)
      .where(sql<boolean>`(project_id, uuid) > (${after.projectId}, ${after.uuid})`)
      .orderBy('projectId')
      .orderBy('uuid')
      .limit(limit)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { projectId: Number(last.projectId), uuid: last.uuid };
    yield rows.map(({ projectId, uuid }) => ({ projectId: Number(projectId), uuid }));
  }
}

/** In a transaction. */
export async function forgetSeen(on: Sql, events: readonly EventId[]): Promise<void> {
  if (events.length === 0) return;
  await on.dialect.lock(on.db, 'seen');
  const gone = on.dialect.rows({ projectId: 'integer', uuid: 'text' }, events);
  for (const table of ['seen_events', 'event_repeats']) {
    await sql`delete from ${sql.table(table)}
      where (project_id, uuid) in (select project_id, uuid from ${gone} r)`.execute(on.db);
  }
  const byBlock = new Map<number, Set<string>>();
  for (const { projectId, uuid } of events) {
    for (const { id } of await listBlocksAround(on, projectId, uuid)) {
      byBlock.set(id, (byBlock.get(id) ?? new Set()).add(uuid));
    }
  }
  for (const [id, uuids] of byBlock) await keepInBlock(on, id, (list, at) => !uuids.has(uuidAt(list, at)));
}

async function keepInBlock(
  on: Sql,
  id: number,
  isKept: (list: IdList, at: number, timeUnit: number) => boolean,
): Promise<void> {
  const packed = (await readIds(on, [id])).get(id);
  if (packed === undefined) return;
  const list = packed.unpack();
  const kept = filterIds(list, (at) => isKept(list, at, packed.timeUnit));
  if (kept.length < list.length) await shrinkBlock(on, id, kept);
}

/**
 * Forgets events that were processed before `time`. One transaction per block: chunks wait for no more than that.
 */
export async function forgetBefore(db: Db, dialect: SqlDialect, projectId: number, time: number): Promise<void> {
  await db.deleteFrom('seenEvents').where('projectId', '=', projectId).where('processedAt', '<', time).execute();
  const blocks = await db
    .selectFrom('seenBlocks')
    .select('id')
    .where('projectId', '=', projectId)
    .where('processedFrom', '<', time - MAX_TIME_UNIT_MS)
    .execute();
  for (const { id } of blocks) {
    // Others get their turn.
    await setImmediate();
    await dialect.reorganize(db, async (tx) => {
      await dialect.lock(tx, 'seen');
      await keepInBlock(
        { db: tx, dialect },
        Number(id),
        (list, at, unit) => (list.processedAt[at] as number) + unit > time,
      );
    });
  }
}
