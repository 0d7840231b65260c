import { type RawBuilder, sql } from 'kysely';
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { Page } from '../metadata-store.ts';
import type {
  Clue,
  PersonCursor,
  PersonSketch,
  PersonSlice,
  PersonStore,
  PersonWrite,
  StoredPerson,
} from '../person-store.ts';
import type { SqlDialect } from './dialect.ts';
import { writePropertyDefinitions } from './ingest/apply-changes.ts';
import { writeHistory } from './ingest/write-history.ts';
import { nextPersonChange } from './person-change.ts';
import { flag, type Sql } from './tables.ts';

export function personStore(on: Sql): PersonStore {
  const { db } = on;
  const ofProject = (projectId: number) => db.selectFrom('persons').selectAll().where('projectId', '=', projectId);
  return {
    async find(projectId, ref) {
      const wanted =
        'id' in ref ? ofProject(projectId).where('id', '=', ref.id) : ofProject(projectId).where('uuid', '=', ref.uuid);
      const row = await wanted.executeTakeFirst();
      return row ? toPerson(row) : null;
    },
    async byDistinctId(projectId, distinctId) {
      // 'cross join' keeps SQLite from going through all persons of the project in search of one.
      const { rows } = await sql<Row>`
        select p.* from person_distinct_ids d
        cross join persons p
        where d.project_id = ${projectId} and d.distinct_id = ${distinctId} and p.id = d.person_id`.execute(db);
      const [row] = rows;
      return row ? toPerson(row) : null;
    },
    newest: (projectId, page) => newest(on, projectId, page),
    byEmail: (projectId, emails, page) => byEmail(on, projectId, emails, page),
    slice: (projectId, after, size, clues, keys) => slice(on, projectId, after, size, clues, keys),
    byIds: (projectId, ids) => byIds(on, projectId, ids),
    distinctIds: (personIds, most) => distinctIds(on, personIds, most),
    distinctIdsAfter: (personId, after, limit) =>
      db
        .selectFrom('personDistinctIds')
        .select(['id', 'distinctId'])
        .where('personId', '=', personId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    write: (change) => write(on, change),
    history: (projectId, uuid) => history(on, projectId, uuid),
    async beforeMerge(projectId, uuid) {
      const row = await db
        .selectFrom('personMerges')
        .select('source')
        .where('projectId', '=', projectId)
        .where('sourceUuid', '=', uuid)
        .orderBy('id', 'desc')
        .executeTakeFirst();
      return row ? (JSON.parse(row.source) as Person) : null;
    },
  };
}

interface Row {
  id: number;
  projectId: number;
  uuid: string;
  createdAt: number;
  properties: string;
  isIdentified: number;
  version: number;
}

/** A row of persons, whoever asks for it. */
export const toPerson = (row: Row): StoredPerson => ({
  id: Number(row.id),
  projectId: Number(row.projectId),
  uuid: row.uuid,
  createdAt: Number(row.createdAt),
  properties: JSON.parse(row.properties),
  isIdentified: row.isIdentified === 1,
  version: Number(row.version),
});

/** First which persons, from the index alone, also far down the list; then those few. */
async function newest({ db }: Sql, projectId: number, { limit, offset }: Page): Promise<StoredPerson[]> {
  const { rows } = await sql<Row>`
    select p.* from (
      select id from persons where project_id = ${projectId}
      order by created_at desc, uuid limit ${limit} offset ${offset}
    ) page
    cross join persons p
    where p.id = page.id
    order by p.created_at desc, p.uuid`.execute(db);
  return rows.map(toPerson);
}

async function byEmail(
  { db }: Sql,
  projectId: number,
  emails: readonly string[],
  { limit, offset }: Page,
): Promise<StoredPerson[]> {
  if (emails.length === 0) return [];
  // The sign keeps the order from being read off an index: that would mean to go through the whole list in search of
  // one address.
  const { rows } = await sql<Row>`
    select * from persons
    where project_id = ${projectId} and email in (${sql.join(emails)})
    order by +created_at desc, uuid
    limit ${limit} offset ${offset}`.execute(db);
  return rows.map(toPerson);
}

async function slice(
  { db, dialect }: Sql,
  projectId: number,
  after: PersonCursor | null,
  size: number,
  clues: readonly (readonly Clue[])[],
  asked: readonly string[] | undefined,
): Promise<PersonSlice> {
  const begin =
    after === null
      ? sql``
      : sql`and created_at <= ${after.createdAt} and (created_at < ${after.createdAt} or uuid > ${after.uuid})`;
  const list = sql`from persons where project_id = ${projectId} ${begin} order by created_at desc, uuid`;
  const keys = asked?.every(isPlainKey) ? asked : undefined;
  // Where nothing but the e-mail is asked for, the index says it all and no person is read.
  const needsAll = keys?.every((key) => key === 'email') !== true || clues.flat().some(({ kind }) => kind === 'text');
  const columns = needsAll ? sql`id, created_at, uuid, email, properties` : sql`id, created_at, uuid, email`;
  const { rows } = await sql<SketchRow>`
    select s.id ${valueColumns(dialect, keys)} from (select ${columns} ${list} limit ${size}) s
    ${conditions(dialect, clues)}
    order by s.created_at desc, s.uuid`.execute(db);
  const last = await sql<PersonCursor>`select created_at, uuid ${list} limit 1 offset ${size - 1}`.execute(db);
  const [end] = last.rows;
  return {
    persons: rows.map((row) => toSketch(row, keys)),
    end: end ? { createdAt: Number(end.createdAt), uuid: end.uuid } : null,
  };
}

type SketchRow = { id: number } & Record<string, string | null>;

/** Others cannot be named in a path into JSON without doubt about what they mean. */
const isPlainKey = (key: string): boolean => /^[^"\\\p{Cc}]+$/u.test(key);

function valueColumns(dialect: SqlDialect, keys: readonly string[] | undefined): RawBuilder<unknown> {
  if (keys === undefined) return sql`, s.properties`;
  const value = (key: string): RawBuilder<unknown> =>
    key === 'email' ? sql`s.email` : dialect.jsonValue(sql`s.properties`, key);
  return keys.length === 0 ? sql`` : sql`, ${sql.join(keys.map((key, i) => sql`${value(key)} as ${sql.id(`v${i}`)}`))}`;
}

function toSketch(row: SketchRow, keys: readonly string[] | undefined): PersonSketch {
  const id = Number(row.id);
  if (keys === undefined) return { id, properties: JSON.parse(row['properties'] ?? '{}') };
  const known = keys.map((key, i) => [key, row[`v${i}`]] as const);
  return {
    id,
    properties: Object.fromEntries(
      known.flatMap(([key, text]) => (text === null || text === undefined ? [] : [[key, JSON.parse(text)]])),
    ),
  };
}

function conditions(dialect: SqlDialect, clues: readonly (readonly Clue[])[]): RawBuilder<unknown> {
  const shows = (clue: Clue): RawBuilder<unknown> => {
    if (clue.kind === 'person') return sql`s.id = ${clue.id}`;
    if (clue.kind === 'text') return dialect.contains(sql`s.properties`, clue.text);
    return sql`(octet_length(s.email) <> length(s.email) or ${dialect.contains(sql`lower(s.email)`, clue.part)})`;
  };
  const all = clues.map((choice) => sql`(${sql.join(choice.map(shows), sql` or `)})`);
  return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
}

async function byIds({ db, dialect }: Sql, projectId: number, ids: readonly number[]): Promise<StoredPerson[]> {
  const wanted = dialect.rows(
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );
  const { rows } = await sql<Row>`
    select p.* from ${wanted} w
    cross join persons p
    where p.id = w.id and p.project_id = ${projectId}
    order by p.created_at desc, p.uuid`.execute(db);
  return rows.map(toPerson);
}

/** Numbers of rows stay far below this. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

async function distinctIds(
  { db, dialect }: Sql,
  personIds: readonly number[],
  most: number,
): Promise<ReadonlyMap<number, string[]>> {
  const found = new Map(personIds.map((id) => [id, [] as string[]]));
  const wanted = dialect.rows(
    { id: 'integer' },
    personIds.map((id) => ({ id })),
  );
  const { rows } = await sql<{ id: number; distinctId: string }>`
    select w.id, d.distinct_id
    from ${wanted} w
    cross join person_distinct_ids d
    where d.person_id = w.id
      and d.id <= coalesce((
        select x.id from person_distinct_ids x where x.person_id = w.id order by x.id limit 1 offset ${most - 1}
      ), ${NO_BOUND})
    order by d.person_id, d.id`.execute(db);
  for (const { id, distinctId } of rows) found.get(Number(id))?.push(distinctId);
  return found;
}

async function write(on: Sql, { person, history: entries, properties }: PersonWrite): Promise<void> {
  await on.db
    .updateTable('persons')
    .set({
      properties: JSON.stringify(person.properties),
      isIdentified: flag(person.isIdentified),
      version: person.version,
      change: await nextPersonChange(on),
    })
    .where('id', '=', person.id)
    .execute();
  await writeHistory(on, entries);
  await writePropertyDefinitions(on, properties);
}

async function history({ db }: Sql, projectId: number, uuid: string): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('personPropertyHistory')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('personUuid', '=', uuid)
    .orderBy('id')
    .execute();
  const readJson = (text: string | null) => (text === null ? undefined : JSON.parse(text));
  return rows.map((row) => ({
    projectId: Number(row.projectId),
    personUuid: row.personUuid,
    key: row.name,
    before: readJson(row.beforeValue),
    after: readJson(row.afterValue),
    at: Number(row.happenedAt),
    eventUuid: row.eventUuid,
  }));
}
