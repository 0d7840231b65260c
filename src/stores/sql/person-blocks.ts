/** How a block of persons lies in the database: a row for the block, one for each of its columns. */
import { sql } from 'kysely';
import type { JsonObject } from '../../core/json/json.ts';
import { toColumns } from '../../core/persons/person-columns.ts';
import type { FirstPersons } from './first-persons.ts';
import { runForEach } from './repeat.ts';
import type { Sql } from './tables.ts';

export interface IndexedPerson {
  id: number;
  uuid: string;
  createdAt: number;
  /** JSON text. */
  properties: string;
}

export const toFloat64s = (bytes: Uint8Array): Float64Array => new Float64Array(copied(bytes));
export const toUint16s = (bytes: Uint8Array): Uint16Array => new Uint16Array(copied(bytes));
const bytesOf = ({ buffer }: Float64Array<ArrayBuffer> | Uint16Array): Buffer => Buffer.from(buffer as ArrayBuffer);

/** What comes from a database lies anywhere in memory; numbers must lie straight. */
const copied = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;

/** A uuid as text has always the same length. */
const UUID_LENGTH = 36;
const uuidAt = (uuids: string, row: number): string => uuids.slice(row * UUID_LENGTH, (row + 1) * UUID_LENGTH);

/** Who stands in a block, row by row. */
export interface BlockHeader {
  lives: Uint8Array;
  ids: Uint8Array;
  times: Uint8Array;
  uuids: string;
}

/** Those of a block who passed, are not struck out, and of whom nothing newer is known `elsewhere`. */
export function takeMatching(
  verdicts: Uint8Array,
  spine: BlockHeader,
  elsewhere: ReadonlySet<number>,
  first: FirstPersons,
): void {
  const [ids, times] = [toFloat64s(spine.ids), toFloat64s(spine.times)];
  for (let row = verdicts.indexOf(1); row >= 0; row = verdicts.indexOf(1, row + 1)) {
    const id = ids[row] as number;
    if (spine.lives[row] === 0 || elsewhere.has(id)) continue;
    const person = { id, createdAt: times[row] as number, uuid: uuidAt(spine.uuids, row) };
    if (first.canTake(person)) first.take(person);
  }
}

export async function writeBlock(on: Sql, projectId: number, persons: readonly IndexedPerson[]): Promise<void> {
  const times = Float64Array.from(persons, ({ createdAt }) => createdAt);
  const { id: blockId } = await on.db
    .insertInto('personBlocks')
    .values({
      projectId,
      persons: persons.length,
      living: persons.length,
      newest: times.reduce((a, b) => Math.max(a, b)),
      oldest: times.reduce((a, b) => Math.min(a, b)),
      lives: new Uint8Array(persons.length).fill(1),
      ids: bytesOf(Float64Array.from(persons, ({ id }) => id)),
      times: bytesOf(times),
      uuids: persons.map(({ uuid }) => uuid).join(''),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeColumns(on, projectId, Number(blockId), persons);
  await writePlaces(on, projectId, Number(blockId), persons);
}

async function writeColumns({ db }: Sql, projectId: number, blockId: number, persons: readonly IndexedPerson[]) {
  const columns = toColumns(persons.map(({ properties }) => JSON.parse(properties) as JsonObject));
  await runForEach(
    db as never,
    columns,
    ({ name, values, rows, places }) => [projectId, name, blockId, values, rows && bytesOf(rows), bytesOf(places)],
    (row) => sql`
      insert into person_columns (project_id, name, block_id, distinct_values, owners, places)
      values (${sql.join(row)})`,
  );
}

async function writePlaces(
  { db, dialect }: Sql,
  projectId: number,
  blockId: number,
  persons: readonly IndexedPerson[],
): Promise<void> {
  const rows = dialect.rows(
    { personId: 'integer', place: 'integer' },
    persons.map(({ id: personId }, place) => ({ personId, place })),
  );
  await sql`
    insert into person_places (project_id, person_id, block_id, place)
    select ${projectId}, person_id, ${blockId}, place from ${rows} r where true
    on conflict (project_id, person_id) do update set block_id = excluded.block_id, place = excluded.place`.execute(db);
}

/** Strikes persons out of the blocks where they stand. */
export async function markDeleted(
  { db, dialect }: Sql,
  projectId: number,
  personIds: readonly number[],
): Promise<void> {
  const wanted = dialect.rows(
    { id: 'integer' },
    personIds.map((id) => ({ id })),
  );
  const { rows: places } = await sql<{ blockId: number; place: number }>`
    select p.block_id, p.place from ${wanted} w
    cross join person_places p
    where p.project_id = ${projectId} and p.person_id = w.id`.execute(db);
  const byBlock = new Map<number, number[]>();
  for (const { blockId, place } of places) {
    const struck = byBlock.get(blockId);
    if (struck) struck.push(place);
    else byBlock.set(blockId, [place]);
  }
  for (const [blockId, struck] of byBlock) {
    const block = db.selectFrom('personBlocks').select(['lives', 'living']).where('id', '=', blockId);
    const { lives, living } = await block.executeTakeFirstOrThrow();
    for (const place of struck) lives[place] = 0;
    await db
      .updateTable('personBlocks')
      .set({ lives, living: living - struck.length })
      .where('id', '=', blockId)
      .execute();
  }
  await sql`
    delete from person_places
    where project_id = ${projectId} and person_id in (select id from ${wanted} w)`.execute(db);
}

/** Who stands in a block, and is not struck out; with `struck`, who is. */
export async function readBlockIds({ db }: Pick<Sql, 'db'>, blockId: number, struck = false): Promise<number[]> {
  const block = db.selectFrom('personBlocks').select(['ids', 'lives']).where('id', '=', blockId);
  const { ids, lives } = await block.executeTakeFirstOrThrow();
  return [...toFloat64s(ids)].filter((_, row) => (lives[row] === 0) === struck);
}

export async function deleteBlocks({ db }: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('personColumns').where('blockId', 'in', ids).execute();
  await db.deleteFrom('personBlocks').where('id', 'in', ids).execute();
}
