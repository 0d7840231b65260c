/** Bulk reads before a chunk: one statement each, for any number of rows. */
import { sql } from 'kysely';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { Person } from '../../../core/persons/person.ts';
import type {
  DistinctId,
  EventDestination,
  EventExport,
  Group,
  GroupType,
  IngestProject,
  PersonsAndDistinctIds,
  SeenDefinitionChanges,
  WebhookEvent,
} from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';
import { lockGroups, lockPersons } from './lock-subjects.ts';
import type { ReadRow } from './write-persons.ts';

export async function readProjects({ db }: Sql, ids: readonly number[]): Promise<IngestProject[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'anonymizeIps', 'ingestedEvent', 'slackIncomingWebhook'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => ({
    id: Number(row.id),
    anonymizeIps: row.anonymizeIps === 1,
    ingestedEvent: row.ingestedEvent === 1,
    hasWebhook: row.slackIncomingWebhook !== null,
  }));
}

interface PersonRow {
  id: number;
  projectId: number;
  distinctId: string;
  uuid: string;
  createdAt: number;
  properties: string;
  isIdentified: number;
  version: number;
}

/** `read` gets the rows of the persons. */
export async function readPersons(
  on: Sql,
  ids: readonly DistinctId[],
  read: Map<string, ReadRow>,
): Promise<PersonsAndDistinctIds> {
  if (ids.length === 0) return { persons: [], distinctIds: [] };
  const rows = on.dialect.hasConcurrentChunks
    ? await lockPersons(on, ids, () => personRows(on, ids))
    : await personRows(on, ids);
  const persons = new Map<string, Person>();
  for (const row of rows) {
    if (persons.has(row.uuid)) continue;
    const person = toPerson(row);
    persons.set(row.uuid, person);
    read.set(row.uuid, { id: row.id, createdAt: person.createdAt, email: person.properties['email'] });
  }
  const distinctIds = rows.map(({ projectId, distinctId, uuid }) => ({ projectId, distinctId, personUuid: uuid }));
  return { persons: [...persons.values()], distinctIds };
}

async function personRows({ db, dialect }: Sql, ids: readonly DistinctId[]): Promise<PersonRow[]> {
  const wanted = dialect.rows({ projectId: 'integer', distinctId: 'text' }, ids);
  // 'cross join' makes SQLite start with the small table instead of scanning the large ones.
  const { rows } = await sql<PersonRow>`
    select p.id, d.project_id, d.distinct_id, p.uuid, p.created_at, p.properties, p.is_identified, p.version
    from ${wanted} w
    cross join person_distinct_ids d
    cross join persons p
    where d.project_id = w.project_id and d.distinct_id = w.distinct_id and p.id = d.person_id`.execute(db);
  return rows;
}

const toPerson = (row: PersonRow): Person => ({
  projectId: row.projectId,
  uuid: row.uuid,
  createdAt: Number(row.createdAt),
  properties: parseExact(row.properties),
  isIdentified: row.isIdentified === 1,
  version: Number(row.version),
});

export async function readTakenUuids({ db, dialect }: Sql, uuids: readonly string[]): Promise<string[]> {
  if (uuids.length === 0) return [];
  const wanted = dialect.rows(
    { uuid: 'text' },
    uuids.map((uuid) => ({ uuid })),
  );
  const { rows } = await sql<{ uuid: string }>`
    select w.uuid from ${wanted} w
    where exists (select 1 from persons p where p.uuid = w.uuid)
      or exists (select 1 from retired_person_uuids r where r.uuid = w.uuid)`.execute(db);
  return rows.map((row) => row.uuid);
}

export async function readGroupTypes({ db }: Sql, projectIds: readonly number[]): Promise<GroupType[]> {
  if (projectIds.length === 0) return [];
  const rows = await db.selectFrom('groupTypes').selectAll().where('projectId', 'in', projectIds).execute();
  return rows.map(({ projectId, typeIndex, name }) => ({ projectId, index: typeIndex, name }));
}

export async function readGroups(
  { db, dialect }: Sql,
  keys: readonly Pick<Group, 'projectId' | 'typeIndex' | 'key'>[],
): Promise<Group[]> {
  if (keys.length === 0) return [];
  await lockGroups({ db, dialect }, keys);
  const wanted = dialect.rows({ projectId: 'integer', typeIndex: 'integer', key: 'text' }, keys);
  const { rows } = await sql<Omit<Group, 'properties' | 'key'> & { properties: string; groupKey: string }>`
    select g.*
    from ${wanted} w
    cross join "groups" g
    where g.project_id = w.project_id and g.type_index = w.type_index and g.group_key = w.key`.execute(db);
  return rows.map(({ groupKey, properties, ...row }) => ({
    ...row,
    key: groupKey,
    properties: parseExact(properties),
  }));
}

export async function readWebhookEvents({ db }: Sql, projectIds: readonly number[]): Promise<WebhookEvent[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom('eventDefinitions')
    .select(['projectId', 'name'])
    .where('projectId', 'in', projectIds)
    // A literal, so that the partial index is used.
    .where('postToSlack', '=', sql.lit(1))
    .execute();
  return rows.map(({ projectId, name }) => ({ projectId: Number(projectId), event: name }));
}

export async function readDestinations({ db }: Sql, projectIds: readonly number[]): Promise<EventDestination[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom('destinations')
    .select(['id', 'projectId'])
    .where('projectId', 'in', projectIds)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();
  return rows.map(({ id, projectId }) => ({ id, projectId: Number(projectId) }));
}

export async function readExports({ db }: Sql, projectIds: readonly number[]): Promise<EventExport[]> {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom('batchExports')
    .select(['id', 'projectId', 'exportedUntil'])
    .where('projectId', 'in', projectIds)
    .where('model', '<>', 'persons')
    .orderBy('id')
    .execute();
  return rows.map(({ id, projectId, exportedUntil }) => ({
    id,
    projectId: Number(projectId),
    exportedUntil: Number(exportedUntil),
  }));
}

/** On indexes that begin with the project. */
export async function countDefinitions({ db }: Sql, projectId: number) {
  const { rows } = await sql<{ events: number; properties: number; eventProperties: number }>`
    select (select count(*) from event_definitions where project_id = ${projectId}) as events,
      (select count(*) from property_definitions where project_id = ${projectId}) as properties,
      (select count(*) from event_properties where project_id = ${projectId}) as event_properties`.execute(db);
  const [row] = rows;
  return {
    events: Number(row?.events ?? 0),
    properties: Number(row?.properties ?? 0),
    eventProperties: Number(row?.eventProperties ?? 0),
  };
}

export async function readDefined(
  { db, dialect }: Sql,
  projectId: number,
  { events, properties }: Pick<SeenDefinitionChanges, 'events' | 'properties'>,
) {
  const names = sql<{ name: string }>`
    select d.name from ${dialect.rows({ name: 'text' }, events)} r
    cross join event_definitions d
    where d.project_id = ${projectId} and d.name = r.name`;
  const columns = { kind: 'text', groupTypeIndex: 'integer', name: 'text' } as const;
  const keys = sql<{ kind: string; groupTypeIndex: number; name: string }>`
    select d.kind, d.group_type_index, d.name from ${dialect.rows(columns, properties)} r
    cross join property_definitions d
    where d.project_id = ${projectId} and d.kind = r.kind and d.group_type_index = r.group_type_index
      and d.name = r.name`;
  const [known, defined] = [await names.execute(db), await keys.execute(db)];
  return {
    events: new Set(known.rows.map(({ name }) => name)),
    properties: new Set(defined.rows.map(({ kind, groupTypeIndex, name }) => `${kind}:${groupTypeIndex}:${name}`)),
  };
}
