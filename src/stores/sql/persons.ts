import { type RawBuilder, sql } from 'kysely';
import { countFitting } from '../../core/count-fitting.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { Page } from '../metadata/page.ts';
import type {
  PartialPerson,
  PersonCursor,
  PersonScan,
  PersonSize,
  PersonStore,
  PersonWrite,
  Prefilter,
  StoredPerson,
} from '../metadata/persons.ts';
import { compiled } from './compiled.ts';
import { idRows, type SqlDialect } from './dialect.ts';
import { writePropertyDefinitions } from './ingest/apply-changes.ts';
import { writeHistory } from './ingest/write-history.ts';
import { nextPersonChange } from './person-change.ts';
import { propertyColumns } from './person-properties.ts';
import { type Sql, toBit } from './tables.ts';

export function personStore(on: Sql): PersonStore {
  const { db } = on;
  const queries = compiledQueries(on);
  const one = ([row]: Row[]): StoredPerson | null => (row ? toStoredPerson(row) : null);
  return {
    get: async (projectId, ref) =>
      one('id' in ref ? await queries.byId([projectId, ref.id]) : await queries.byUuid([projectId, ref.uuid])),
    getByDistinctId: async (projectId, distinctId) => one(await queries.byDistinctId([projectId, distinctId])),
    listIds: (projectId, page) => listIds(on, projectId, page),
    async listIdsByEmails(projectId, emails, { limit, offset }) {
      if (emails.length === 0) return [];
      const wanted = JSON.stringify([...new Set(emails)].map((email) => ({ email })));
      return (await queries.byEmail([wanted, projectId, limit, offset])).map(({ id }) => Number(id));
    },
    scan: (projectId, after, size, prefilters, keys) => scanPersons(on, projectId, after, size, prefilters, keys),
    // The engines override this: see sqlite/person-index-reader.ts.
    listMatching: async () => null,
    listSizes: (projectId, ids) => listSizes(on, projectId, ids),
    listByIds: (projectId, ids) => listByIds(on, projectId, ids),
    async listDistinctIds(personIds, limit) {
      const found = new Map(personIds.map((id) => [id, [] as string[]]));
      const rows = await queries.distinctIds([JSON.stringify(personIds.map((id) => ({ id }))), limit - 1, NO_LIMIT]);
      for (const { id, distinctId } of rows) found.get(Number(id))?.push(distinctId);
      return found;
    },
    listDistinctIdsAfter: (personId, after, limit) => queries.distinctIdsAfter([personId, after, limit]),
    update: (change) => updatePerson(on, change),
    listHistory: (projectId, uuid) => listHistory(on, projectId, uuid),
    async getBeforeMerge(projectId, uuid) {
      const row = await db
        .selectFrom('personMerges')
        .select('source')
        .where('projectId', '=', projectId)
        .where('sourceUuid', '=', uuid)
        .orderBy('id', 'desc')
        .executeTakeFirst();
      return row ? (parseExact(row.source) as Person) : null;
    },
  };
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Frequent lookups. 'cross join' makes SQLite start with the small side. */
function compiledQueries({ db, dialect }: Sql) {
  const ofProject = () => db.selectFrom('persons').selectAll().where('projectId', '=', 0);
  return {
    byId: compiled<Row>(db, () => ofProject().where('id', '=', 0)),
    byUuid: compiled<Row>(db, () => ofProject().where('uuid', '=', '')),
    byDistinctId: compiled<Row>(
      db,
      () => sql`
      select p.* from person_distinct_ids d
      cross join persons p
      where d.project_id = ${0} and d.distinct_id = ${''} and p.id = d.person_id`,
    ),
    // The '+' keeps SQLite from using the index of the order, which would scan the whole list for one address.
    byEmail: compiled<{ id: number }>(
      db,
      () => sql`
      select p.id from ${dialect.rows({ email: 'text' }, [])} w
      cross join persons p
      where p.project_id = ${0} and p.email = w.email
      order by +p.created_at desc, p.uuid
      limit ${1} offset ${0}`,
    ),
    distinctIds: compiled<{ id: number; distinctId: string }>(
      db,
      () => sql`
      select w.id, d.distinct_id
      from ${dialect.rows({ id: 'integer' }, [])} w
      cross join person_distinct_ids d
      where d.person_id = w.id
        and d.id <= coalesce((
          select x.id from person_distinct_ids x where x.person_id = w.id order by x.id limit 1 offset ${0}
        ), ${NO_LIMIT})
      order by d.person_id, d.id`,
    ),
    distinctIdsAfter: compiled<{ id: number; distinctId: string }>(db, () =>
      db
        .selectFrom('personDistinctIds')
        .select(['id', 'distinctId'])
        .where('personId', '=', 0)
        .where('id', '>', 0)
        .orderBy('id')
        .limit(1),
    ),
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

const toStoredPerson = (row: Row): StoredPerson => ({
  id: Number(row.id),
  projectId: Number(row.projectId),
  uuid: row.uuid,
  createdAt: Number(row.createdAt),
  properties: parseExact(row.properties),
  isIdentified: row.isIdentified === 1,
  version: Number(row.version),
});

/** From the index alone, which is fast even far down the list. */
async function listIds({ db }: Sql, projectId: number, { limit, offset }: Page): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from persons where project_id = ${projectId}
    order by created_at desc, uuid limit ${limit} offset ${offset}`.execute(db);
  return rows.map(({ id }) => Number(id));
}

/** The length of a text is stored beside it: no properties are read. */
async function listSizes({ db, dialect }: Sql, projectId: number, ids: readonly number[]): Promise<PersonSize[]> {
  const { rows } = await sql<PersonSize>`
    select p.id, octet_length(p.properties) as bytes from ${idRows(dialect, ids)} w
    cross join persons p
    where p.id = w.id and p.project_id = ${projectId}
    order by p.created_at desc, p.uuid`.execute(db);
  return rows.map(({ id, bytes }) => ({ id: Number(id), bytes: Number(bytes) }));
}

async function scanPersons(
  { db, dialect }: Sql,
  projectId: number,
  after: PersonCursor | null,
  size: number,
  prefilters: readonly (readonly Prefilter[])[],
  wantedKeys: readonly string[] | undefined,
): Promise<PersonScan> {
  const start =
    after === null
      ? sql``
      : sql`and created_at <= ${after.createdAt} and (created_at < ${after.createdAt} or uuid > ${after.uuid})`;
  const list = sql`from persons where project_id = ${projectId} ${start} order by created_at desc, uuid`;
  const keys = wantedKeys?.every(isPlainKey) ? wantedKeys : undefined;
  // If only the e-mail is needed, the index has everything and no person is read.
  const needsAll =
    keys?.every((key) => key === 'email') !== true || prefilters.flat().some(({ kind }) => kind === 'text');
  const columns = needsAll ? sql`id, created_at, uuid, email, properties` : sql`id, created_at, uuid, email`;
  const count = needsAll ? await countScanned(db, list, size) : size;
  const { rows } = await sql<PartialRow>`
    select s.id ${valueColumns(dialect, keys)} from (select ${columns} ${list} limit ${count}) s
    ${prefilterSql(dialect, prefilters)}
    order by s.created_at desc, s.uuid`.execute(db);
  const last = await sql<PersonCursor>`select created_at, uuid ${list} limit 1 offset ${count - 1}`.execute(db);
  const [end] = last.rows;
  return {
    persons: rows.map((row) => toPartialPerson(row, keys)),
    cursor: end ? { createdAt: Number(end.createdAt), uuid: end.uuid } : null,
  };
}

/** The properties of one scan, about: it may return all of them. */
const MAX_SCAN_BYTES = 8 * 1024 * 1024;

async function countScanned(db: Sql['db'], list: RawBuilder<unknown>, size: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select octet_length(properties) as bytes ${list} limit ${size}`.execute(
    db,
  );
  const sizes = rows.map(({ bytes }) => ({ bytes: Number(bytes) }));
  const fitting = countFitting(sizes, MAX_SCAN_BYTES);
  return fitting < rows.length ? fitting : size;
}

type PartialRow = { id: number } & Record<string, string | null>;

/** Other keys would be ambiguous in a JSON path. */
const isPlainKey = (key: string): boolean => /^[^"\\\p{Cc}]+$/u.test(key);

function valueColumns(dialect: SqlDialect, keys: readonly string[] | undefined): RawBuilder<unknown> {
  if (keys === undefined) return sql`, s.properties`;
  const value = (key: string): RawBuilder<unknown> =>
    key === 'email' ? sql`s.email` : dialect.jsonValue(sql`s.properties`, key);
  return keys.length === 0 ? sql`` : sql`, ${sql.join(keys.map((key, i) => sql`${value(key)} as ${sql.id(`v${i}`)}`))}`;
}

function toPartialPerson(row: PartialRow, keys: readonly string[] | undefined): PartialPerson {
  const id = Number(row.id);
  if (keys === undefined) return { id, properties: parseExact(row['properties'] ?? '{}') };
  const known = keys.map((key, i) => [key, row[`v${i}`]] as const);
  return {
    id,
    properties: Object.fromEntries(
      known.flatMap(([key, text]) => (text === null || text === undefined ? [] : [[key, parseExact(text)]])),
    ),
  };
}

function prefilterSql(dialect: SqlDialect, prefilters: readonly (readonly Prefilter[])[]): RawBuilder<unknown> {
  const passes = (prefilter: Prefilter): RawBuilder<unknown> => {
    if (prefilter.kind === 'person') return sql`s.id = ${prefilter.id}`;
    if (prefilter.kind === 'text') return dialect.contains(sql`s.properties`, prefilter.text);
    return sql`(octet_length(s.email) <> length(s.email) or ${dialect.contains(sql`lower(s.email)`, prefilter.part)})`;
  };
  const all = prefilters.map((choice) => sql`(${sql.join(choice.map(passes), sql` or `)})`);
  return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
}

async function listByIds({ db, dialect }: Sql, projectId: number, ids: readonly number[]): Promise<StoredPerson[]> {
  const { rows } = await sql<Row>`
    select p.* from ${idRows(dialect, ids)} w
    cross join persons p
    where p.id = w.id and p.project_id = ${projectId}
    order by p.created_at desc, p.uuid`.execute(db);
  return rows.map(toStoredPerson);
}

async function updatePerson(on: Sql, { person, history: entries, properties }: PersonWrite): Promise<void> {
  await on.db
    .updateTable('persons')
    .set({
      ...propertyColumns(on, person.properties),
      isIdentified: toBit(person.isIdentified),
      version: person.version,
      change: await nextPersonChange(on),
    })
    .where('id', '=', person.id)
    .execute();
  await writeHistory(on, entries);
  await writePropertyDefinitions(on, properties);
}

async function listHistory({ db }: Sql, projectId: number, uuid: string): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('personPropertyHistory')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('personUuid', '=', uuid)
    .orderBy('id')
    .execute();
  const readJson = (text: string | null) => (text === null ? undefined : parseExact(text));
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
