/** Blocks of ids in the database: a row that describes each, and a row with its ids and their filter. */
import { sql } from 'kysely';
import { idRows } from '../dialect.ts';
import type { Sql } from '../tables.ts';
import { buildFilter } from './id-filter.ts';
import { type IdList, uuidAt } from './id-list.ts';
import { PackedIds, packIds } from './pack-ids.ts';

/** Blocks of recent ids, one for each chunk: they may overlap, and their times are exact. */
export const RECENT_LEVEL = 0;

/** No two blocks of a project and of a higher level have ids between each other's first and last one. */
export interface SeenBlock {
  id: number;
  projectId: number;
  level: number;
  firstUuid: string;
  lastUuid: string;
  events: number;
}

const COLUMNS = ['id', 'projectId', 'level', 'firstUuid', 'lastUuid', 'events'] as const;

export async function listBlocks({ db }: Sql, after: number): Promise<SeenBlock[]> {
  const rows = await db.selectFrom('seenBlocks').select(COLUMNS).where('id', '>', after).orderBy('id').execute();
  return rows.map(toBlock);
}

/** Those that exist, in the order of their numbers. */
export async function readBlocks({ db, dialect }: Sql, ids: readonly number[]): Promise<SeenBlock[]> {
  const { rows } = await sql<SeenBlock>`
    select b.id, b.project_id, b.level, b.first_uuid, b.last_uuid, b.events
    from ${idRows(dialect, ids)} w cross join seen_blocks b
    where b.id = w.id
    order by b.id`.execute(db);
  return rows.map(toBlock);
}

/** Those that may contain the id. */
export async function listBlocksAround({ db }: Sql, projectId: number, uuid: string): Promise<SeenBlock[]> {
  const rows = await db
    .selectFrom('seenBlocks')
    .select(COLUMNS)
    .where('projectId', '=', projectId)
    .where('firstUuid', '<=', uuid)
    .where('lastUuid', '>=', uuid)
    .execute();
  return rows.map(toBlock);
}

const toBlock = (row: SeenBlock): SeenBlock => ({
  ...row,
  id: Number(row.id),
  projectId: Number(row.projectId),
  events: Number(row.events),
});

/** Grows with every block that is added. */
export async function latestBlockId({ db }: Sql): Promise<number> {
  const row = await db
    .selectFrom('seenBlocks')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

export async function insertBlock(on: Sql, projectId: number, level: number, list: IdList): Promise<SeenBlock> {
  const described = { projectId, level, ...describe(list) };
  const { id } = await on.db.insertInto('seenBlocks').values(described).returning('id').executeTakeFirstOrThrow();
  await on.db
    .insertInto('seenBlockIds')
    .values({ blockId: Number(id), projectId, ...bytesOf(list, level) })
    .execute();
  return { ...described, id: Number(id) };
}

/** The same block with fewer ids. */
export async function shrinkBlock(on: Sql, id: number, list: IdList): Promise<void> {
  if (list.length === 0) return deleteSeenBlocks(on, [id]);
  const { level } = await on.db
    .updateTable('seenBlocks')
    .set(describe(list))
    .where('id', '=', id)
    .returning('level')
    .executeTakeFirstOrThrow();
  await on.db.updateTable('seenBlockIds').set(bytesOf(list, level)).where('blockId', '=', id).execute();
}

const describe = (list: IdList) => ({
  firstUuid: uuidAt(list, 0),
  lastUuid: uuidAt(list, list.length - 1),
  events: list.length,
  processedFrom: list.processedAt.reduce((a, b) => Math.min(a, b)),
  processedTo: list.processedAt.reduce((a, b) => Math.max(a, b)),
});

const bytesOf = (list: IdList, level: number) => ({
  filter: Buffer.from(buildFilter(list)),
  ids: packIds(list, { isExact: level === RECENT_LEVEL }),
});

/** Moves a block to another level, under a new number. */
export async function copyBlock(on: Sql, block: SeenBlock, level: number): Promise<SeenBlock> {
  const { rows } = await sql<{ id: number }>`
    insert into seen_blocks (project_id, level, first_uuid, last_uuid, events, processed_from, processed_to)
    select project_id, ${level}, first_uuid, last_uuid, events, processed_from, processed_to
    from seen_blocks where id = ${block.id}
    returning id`.execute(on.db);
  const id = Number(rows[0]?.id);
  await sql`update seen_block_ids set block_id = ${id} where block_id = ${block.id}`.execute(on.db);
  await on.db.deleteFrom('seenBlocks').where('id', '=', block.id).execute();
  return { ...block, id, level };
}

/** Few enough to be parameters of a statement. */
export async function deleteSeenBlocks({ db }: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('seenBlocks').where('id', 'in', ids).execute();
  await db.deleteFrom('seenBlockIds').where('blockId', 'in', ids).execute();
}

/** By block; without those that no longer exist. */
export async function readBlockFilters({ db, dialect }: Sql, ids: readonly number[]): Promise<Map<number, Uint8Array>> {
  const { rows } = await sql<{ blockId: number; filter: Uint8Array }>`
    select b.block_id, b.filter from ${idRows(dialect, ids)} w cross join seen_block_ids b
    where b.block_id = w.id`.execute(db);
  return new Map(rows.map(({ blockId, filter }) => [Number(blockId), filter]));
}

/** By block; without those that no longer exist. */
export async function readIds({ db, dialect }: Sql, ids: readonly number[]): Promise<Map<number, PackedIds>> {
  const { rows } = await sql<{ blockId: number; ids: Uint8Array }>`
    select b.block_id, b.ids from ${idRows(dialect, ids)} w cross join seen_block_ids b
    where b.block_id = w.id`.execute(db);
  return new Map(rows.map(({ blockId, ids: packed }) => [Number(blockId), new PackedIds(packed)]));
}
