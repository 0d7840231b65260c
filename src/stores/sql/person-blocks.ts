/** Stores a block of persons as one row, plus one row for each of its columns. */
import { sql } from 'kysely';
import { parseExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { toColumns } from '../../core/persons/person-columns.ts';
import { idRows } from './dialect.ts';
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

export const toFloat64s = (bytes: Uint8Array): Float64Array => new Float64Array(aligned(bytes));
export const toUint16s = (bytes: Uint8Array): Uint16Array => new Uint16Array(aligned(bytes));
const bytesOf = ({ buffer }: Float64Array<ArrayBuffer> | Uint16Array): Buffer => Buffer.from(buffer as ArrayBuffer);

/** Typed arrays need aligned memory, which buffers of a database driver are not. */
const aligned = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;

const UUID_LENGTH = 36;
const uuidAt = (uuids: string, row: number): string => uuids.slice(row * UUID_LENGTH, (row + 1) * UUID_LENGTH);

/** The persons of a block, row by row. */
export interface BlockHeader {
  lives: Uint8Array;
  ids: Uint8Array;
  times: Uint8Array;
  uuids: string;
}

/** Takes the persons of a block that match, are not deleted and not outdated. */
export function takeMatching(
  matches: Uint8Array,
  header: BlockHeader,
  outdated: ReadonlySet<number>,
  first: FirstPersons,
): void {
  const [ids, times] = [toFloat64s(header.ids), toFloat64s(header.times)];
  for (let row = matches.indexOf(1); row >= 0; row = matches.indexOf(1, row + 1)) {
    const id = ids[row] as number;
    if (header.lives[row] === 0 || outdated.has(id)) continue;
    const person = { id, createdAt: times[row] as number, uuid: uuidAt(header.uuids, row) };
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

async function writeColumns(on: Sql, projectId: number, blockId: number, persons: readonly IndexedPerson[]) {
  const columns = toColumns(persons.map(({ properties }) => parseExact(properties) as JsonObject));
  await runForEach(
    on,
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

/** Marks persons as deleted in their blocks. */
export async function markDeleted(
  { db, dialect }: Sql,
  projectId: number,
  personIds: readonly number[],
): Promise<void> {
  const wanted = idRows(dialect, personIds);
  const { rows: places } = await sql<{ blockId: number; place: number }>`
    select p.block_id, p.place from ${wanted} w
    cross join person_places p
    where p.project_id = ${projectId} and p.person_id = w.id`.execute(db);
  const byBlock = new Map<number, number[]>();
  for (const { blockId, place } of places) {
    const found = byBlock.get(blockId);
    if (found) found.push(place);
    else byBlock.set(blockId, [place]);
  }
  for (const [blockId, deleted] of byBlock) {
    const block = db.selectFrom('personBlocks').select(['lives', 'living']).where('id', '=', blockId);
    const { lives, living } = await block.executeTakeFirstOrThrow();
    for (const place of deleted) lives[place] = 0;
    await db
      .updateTable('personBlocks')
      .set({ lives, living: living - deleted.length })
      .where('id', '=', blockId)
      .execute();
  }
  await sql`
    delete from person_places
    where project_id = ${projectId} and person_id in (select id from ${wanted} w)`.execute(db);
}

/** The ids of a block that are not marked as deleted; with `isDeleted`, those that are. */
export async function readBlockIds({ db }: Pick<Sql, 'db'>, blockId: number, isDeleted = false): Promise<number[]> {
  const block = db.selectFrom('personBlocks').select(['ids', 'lives']).where('id', '=', blockId);
  const { ids, lives } = await block.executeTakeFirstOrThrow();
  return [...toFloat64s(ids)].filter((_, row) => (lives[row] === 0) === isDeleted);
}

export async function deleteBlocks({ db }: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('personColumns').where('blockId', 'in', ids).execute();
  await db.deleteFrom('personBlocks').where('id', 'in', ids).execute();
}
