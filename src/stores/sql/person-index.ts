import { sql } from 'kysely';
import { MIRROR_START, type MirrorPosition } from '../events/person-mirror.ts';
import { DEFAULT_INDEX_SIZES, type PersonIndexWriter } from '../metadata/person-index.ts';
import { idRows, type SqlDialect } from './dialect.ts';
import { deleteBlocks, type IndexedPerson, markDeleted, readBlockIds, writeBlock } from './person-blocks.ts';
import { lastSettledChange } from './person-change.ts';
import type { Db, Sql } from './tables.ts';

/** Combine at least this many blocks that are at most half full. */
const MIN_SPARSE_BLOCKS = 4;

export function sqlPersonIndex(db: Db, dialect: SqlDialect, sizes = DEFAULT_INDEX_SIZES): PersonIndexWriter {
  const inTransaction = <T>(work: (on: Sql) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await dialect.lock(tx, 'index');
      return work({ db: tx, dialect });
    });
  return {
    async catchUp() {
      const due = await findDueProject(db, sizes.minChanges);
      if (due !== undefined) {
        await inTransaction((on) => indexChangedPersons(on, due, sizes.blockSize));
        return true;
      }
      const sparse = await findSparseBlocks(db, sizes.blockSize);
      if (sparse !== undefined) await inTransaction((on) => combineBlocks(on, sparse.projectId, sparse.ids));
      return sparse !== undefined;
    },
    async purgeDeleted() {
      await inTransaction(async (on) => {
        const projects = await on.db.selectFrom('gonePersons').select('projectId').distinct().execute();
        for (const { projectId } of projects) await markDeletedPersons(on, projectId);
      });
      for (const { id, projectId } of await listBlocksWithDeleted({ db, dialect })) {
        await inTransaction((on) => combineBlocks(on, projectId, [id]));
      }
    },
  };
}

/** A project with at least `least` changed or deleted persons. Finds the projects by skipping through an index. */
async function findDueProject(db: Db, least: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    with recursive p (id) as (
      select min(project_id) from persons
      union all
      select (select min(x.project_id) from persons x where x.project_id > p.id) from p where p.id is not null
    )
    select p.id from p
    left join person_index_positions i on i.project_id = p.id
    where ${least} <= (
      select count(*) from (
        select 1 from persons x
        where x.project_id = p.id and (x.change, x.id) > (coalesce(i.change, -1), coalesce(i.person_id, 0))
        limit ${least}
      ) changed
    )
    union all
    select project_id from gone_persons group by project_id having count(*) >= ${least}
    limit 1`.execute(db);
  return rows[0] && Number(rows[0].id);
}

async function indexPosition({ db }: Sql, projectId: number): Promise<MirrorPosition> {
  const row = await db
    .selectFrom('personIndexPositions')
    .select(['change', 'personId'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return row ? { change: Number(row.change), id: Number(row.personId) } : MIRROR_START;
}

async function indexChangedPersons(on: Sql, projectId: number, most: number): Promise<void> {
  const { db } = on;
  await markDeletedPersons(on, projectId);
  const after = await indexPosition(on, projectId);
  const settled = await lastSettledChange(on);
  const persons = await db
    .selectFrom('persons')
    .select(['id', 'uuid', 'createdAt', 'properties', 'change'])
    .where('projectId', '=', projectId)
    .where(sql<boolean>`(change, id) > (${after.change}, ${after.id})`)
    .where('change', '<=', settled)
    .orderBy('change')
    .orderBy('id')
    .limit(most)
    .execute();
  const last = persons.at(-1);
  if (last === undefined) return;
  const ids = persons.map(({ id }) => id);
  await markDeleted(on, projectId, ids);
  await writeBlock(on, projectId, persons);
  const position = { change: last.change, personId: last.id };
  await db
    .insertInto('personIndexPositions')
    .values({ projectId, ...position })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet(position))
    .execute();
}

async function markDeletedPersons(on: Sql, projectId: number): Promise<void> {
  const ofProject = on.db.deleteFrom('gonePersons').where('projectId', '=', projectId);
  const deleted = await ofProject.returning('personId').execute();
  if (deleted.length === 0) return;
  const ids = deleted.map(({ personId }) => personId);
  await markDeleted(on, projectId, ids);
}

interface SparseBlocks {
  projectId: number;
  ids: number[];
}

/** Blocks that are at most half full, if combining pays: together they fill more than half a block, or they are many. */
async function findSparseBlocks(db: Db, full: number): Promise<SparseBlocks | undefined> {
  const { rows } = await sql<{ id: number; projectId: number; living: number }>`
    select id, project_id, living from person_blocks where living * 2 <= ${full}
    order by project_id, living limit 1000`.execute(db);
  const byProject = new Map<number, typeof rows>();
  for (const row of rows) byProject.set(row.projectId, [...(byProject.get(row.projectId) ?? []), row]);
  for (const [projectId, sparse] of byProject) {
    const combined: number[] = [];
    let living = 0;
    for (const block of sparse) {
      if (living + block.living > full) break;
      living += block.living;
      combined.push(Number(block.id));
    }
    const pays = combined.length >= MIN_SPARSE_BLOCKS || (combined.length > 1 && living * 2 > full);
    if (pays || sparse[0]?.living === 0) return { projectId, ids: combined };
  }
  return undefined;
}

/** Writes the remaining persons of these blocks, as they are now, into one block. */
async function combineBlocks(on: Sql, projectId: number, blockIds: readonly number[]): Promise<void> {
  const remaining: number[] = [];
  for (const id of blockIds) remaining.push(...(await readBlockIds(on, id)));
  const { rows: persons } = await sql<IndexedPerson>`
    select p.id, p.uuid, p.created_at, p.properties
    from ${idRows(on.dialect, remaining)} w
    cross join persons p
    where p.id = w.id
    order by p.created_at desc, p.uuid`.execute(on.db);
  // Some may have been deleted meanwhile: they are in no block any more.
  await markDeleted(on, projectId, remaining);
  if (persons.length > 0) await writeBlock(on, projectId, persons);
  await deleteBlocks(on, blockIds);
}

/** Blocks with data of deleted persons. Changed persons are marked too, so the persons have to be looked up. */
async function listBlocksWithDeleted(on: Sql): Promise<{ id: number; projectId: number }[]> {
  const blocks = await on.db
    .selectFrom('personBlocks')
    .select(['id', 'projectId'])
    .whereRef('living', '<', 'persons')
    .orderBy('id')
    .execute();
  const found: { id: number; projectId: number }[] = [];
  for (const block of blocks) {
    if (await hasDeletedPerson(on, await readBlockIds(on, block.id, true))) found.push(block);
  }
  return found;
}

async function hasDeletedPerson(on: Sql, ids: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ known: number }>`
    select count(*) as known from ${idRows(on.dialect, ids)} w cross join persons p where p.id = w.id`.execute(on.db);
  return Number(rows[0]?.known) < ids.length;
}
