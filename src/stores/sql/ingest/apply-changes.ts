/** Writes everything that a chunk changes, but the ids of its events, inside its transaction. */
import { type RawBuilder, sql } from 'kysely';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { PersonChanges, PersonOp } from '../../../core/persons/person-changes.ts';
import type { IngestChanges } from '../../ingest/ingest-store.ts';
import { writeCookielessVisitors } from '../cookieless-visitors.ts';
import type { RowType } from '../dialect.ts';
import { moveAttachments } from '../person-attachments.ts';
import { deletePersonRow, nextPersonChange } from '../person-change.ts';
import { runForEach } from '../repeat.ts';
import { recordRepeats } from '../seen/write-seen.ts';
import type { Sql } from '../tables.ts';
import { packUuids } from '../uuid-list.ts';
import { writeHistory } from './write-history.ts';
import { type ReadRows, writePersonRows } from './write-persons.ts';

/**
 * Rows that chunks share (definitions, counters) are written in the order of their keys, to avoid deadlocks, and the
 * most contended ones last, to keep waits short.
 */
export async function applyChanges(on: Sql, changes: IngestChanges, known: ReadRows): Promise<void> {
  await writePersons(on, changes.persons, known);
  await writeGroups(on, changes);
  await writeCookielessVisitors(on, changes.cookielessVisitors);
  await writeDefinitions(on, changes);
  await writeMessages(on, changes);
  await queueEvents(on, changes);
  await addLateEvents(on, changes);
  await writeFates(on, changes);
}

async function forRows(
  { db, dialect }: Sql,
  columns: Readonly<Record<string, RowType>>,
  rows: readonly object[],
  statement: (table: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<void> {
  if (rows.length > 0) await statement(dialect.rows(columns, rows)).execute(db);
}

/**
 * New persons and ids come first, also of persons merged in the same chunk, so that each merge finds the ids of its
 * source. No person gets an id after it was merged, so this order changes nothing.
 */
async function writePersons(
  on: Sql,
  { persons, ops, history, overrides }: PersonChanges,
  known: ReadRows,
): Promise<void> {
  const change = persons.length + overrides.length > 0 ? await nextPersonChange(on) : 0;
  await writePersonRows(on, persons, known, change);
  await addIds(on, ops);
  for (const op of ops) if (op.op === 'merge') await merge(on, op);
  await forRows(
    on,
    { uuid: 'text', projectId: 'integer', change: 'integer' },
    retiredRows(overrides, change),
    (rows) =>
      // 'where true' keeps SQLite from reading 'on conflict' as part of a join.
      sql`insert into retired_person_uuids (uuid, project_id, change)
      select uuid, project_id, change from ${rows} r where true
      on conflict (uuid) do update set change = excluded.change`,
  );
  await writeHistory(on, history);
}

const retiredRows = (overrides: PersonChanges['overrides'], change: number): object[] =>
  overrides.map(({ projectId, from }) => ({ projectId, uuid: from, change }));

async function addIds(on: Sql, ops: readonly PersonOp[]): Promise<void> {
  const added = ops.filter((op) => op.op === 'add_id');
  if (!on.dialect.isRemote) {
    await runForEach(
      on,
      added,
      ({ projectId, distinctId, personUuid }) => [projectId, distinctId, personUuid],
      ([projectId, distinctId, personUuid]) => sql`
      insert into person_distinct_ids (project_id, distinct_id, person_id, version)
      values (${projectId}, ${distinctId}, (select id from persons where uuid = ${personUuid}), 0)`,
    );
    return;
  }
  const columns = { projectId: 'integer', distinctId: 'text', personUuid: 'text', place: 'integer' } as const;
  await forRows(
    on,
    columns,
    added.map((op, place) => ({ ...op, place })),
    (table) => sql`
    insert into person_distinct_ids (project_id, distinct_id, person_id, version)
    select r.project_id, r.distinct_id, p.id, 0
    from ${table} r
    cross join persons p
    where p.uuid = r.person_uuid
    order by r.place`,
  );
}

/** Records what an undo needs, moves ids, overrides and cohort memberships, and deletes the source. */
async function merge(on: Sql, op: Extract<PersonOp, { op: 'merge' }>): Promise<void> {
  const { db } = on;
  const { projectId, kind, source, target, eventUuid, at } = op;
  const idOf = (uuid: string) => sql`(select id from persons where uuid = ${uuid})`;
  const { rows } = await sql<{ distinctId: string }>`
    select distinct_id from person_distinct_ids where person_id = ${idOf(source.uuid)} order by id`.execute(db);
  const attachments = await moveAttachments(db, idOf(source.uuid), idOf(target.uuid));
  await db
    .insertInto('personMerges')
    .values({
      sourceId: sql<number>`${idOf(source.uuid)}`,
      projectId,
      kind,
      sourceUuid: source.uuid,
      targetUuid: target.uuid,
      source: stringifyExact(source),
      target: stringifyExact(target),
      movedIds: JSON.stringify(rows.map((row) => row.distinctId)),
      belongings: JSON.stringify(attachments),
      eventUuid,
      happenedAt: at,
    })
    .execute();
  await sql`update person_distinct_ids set person_id = ${idOf(target.uuid)}, version = version + 1
    where person_id = ${idOf(source.uuid)}`.execute(db);
  await deletePersonRow(on, source.uuid);
}

async function writeGroups(on: Sql, { groupTypes, groups }: IngestChanges): Promise<void> {
  await forRows(
    on,
    { projectId: 'integer', index: 'integer', name: 'text' },
    groupTypes,
    (rows) => sql`
    insert into group_types (project_id, type_index, name) select project_id, "index", name from ${rows} r`,
  );
  const columns = {
    projectId: 'integer',
    typeIndex: 'integer',
    key: 'text',
    properties: 'text',
    createdAt: 'integer',
    version: 'integer',
  } as const;
  const written = groups.map((group) => ({ ...group, properties: stringifyExact(group.properties) }));
  await forRows(
    on,
    columns,
    written,
    (rows) => sql`
    insert into "groups" (project_id, type_index, group_key, properties, created_at, version)
    select project_id, type_index, key, properties, created_at, version from ${rows} r where true
    on conflict (project_id, type_index, group_key) do update set
      properties = excluded.properties,
      version = excluded.version`,
  );
}

async function writeDefinitions(on: Sql, { events, properties, eventProperties }: IngestChanges): Promise<void> {
  await forRows(
    on,
    { id: 'text', projectId: 'integer', name: 'text', at: 'integer', createdAt: 'integer' },
    events,
    (rows) => sql`
    insert into event_definitions (id, project_id, name, created_at, last_seen_at)
    select id, project_id, name, created_at, at from ${rows} r where true
    order by project_id, name
    on conflict (project_id, name) do update set last_seen_at = excluded.last_seen_at
    where excluded.last_seen_at > event_definitions.last_seen_at`,
  );
  await writePropertyDefinitions(on, properties);
  await forRows(
    on,
    { projectId: 'integer', event: 'text', property: 'text' },
    eventProperties,
    (rows) => sql`
    insert into event_properties (project_id, event, property)
    select project_id, event, property from ${rows} r where true
    order by project_id, event, property
    on conflict do nothing`,
  );
}

export async function writePropertyDefinitions(on: Sql, properties: IngestChanges['properties']): Promise<void> {
  const columns = {
    id: 'text',
    projectId: 'integer',
    kind: 'text',
    groupTypeIndex: 'integer',
    name: 'text',
    propertyType: 'text',
    at: 'integer',
  } as const;
  // Sets the type once; it stays, also if a user has chosen to have none.
  await forRows(
    on,
    columns,
    properties,
    (rows) => sql`
    insert into property_definitions (id, project_id, kind, group_type_index, name, property_type, created_at)
    select id, project_id, kind, group_type_index, name, property_type, at from ${rows} r where true
    order by project_id, kind, group_type_index, name
    on conflict (project_id, kind, group_type_index, name) do update set property_type = excluded.property_type
    where property_definitions.property_type is null and property_definitions.is_type_chosen = 0`,
  );
}

async function writeMessages(on: Sql, { messages }: IngestChanges): Promise<void> {
  const columns = {
    projectId: 'integer',
    event: 'text',
    count: 'integer',
    personUuid: 'text',
    happenedAt: 'integer',
    waitingSince: 'integer',
  } as const;
  await forRows(
    on,
    columns,
    messages,
    (rows) => sql`
    insert into webhook_outbox (project_id, event, count, person_uuid, happened_at, waiting_since)
    select project_id, event, count, person_uuid, happened_at, waiting_since from ${rows} r where true
    order by project_id, event
    on conflict (project_id, event) do update set
      count = webhook_outbox.count + excluded.count,
      person_uuid = excluded.person_uuid,
      happened_at = excluded.happened_at`,
  );
}

/** The ids only: the events themselves are in the event store. */
async function queueEvents({ db }: Sql, { queued }: IngestChanges): Promise<void> {
  for (const { uuids, ...rest } of queued) {
    await db
      .insertInto('destinationQueue')
      .values({ ...rest, uuids: packUuids(uuids), events: uuids.length })
      .execute();
  }
}

/** The files of their time are made: the next run has them. */
async function addLateEvents({ db }: Sql, { late }: IngestChanges): Promise<void> {
  for (const { uuids, ...rest } of late) {
    await db
      .insertInto('lateExportEvents')
      .values({ ...rest, runId: null, uuids: packUuids(uuids), events: uuids.length })
      .execute();
  }
}

async function writeFates(on: Sql, changes: IngestChanges): Promise<void> {
  await recordRepeats(on, changes.repeats);
  const dropped = {
    projectId: 'integer',
    uuid: 'text',
    reason: 'text',
    receivedAt: 'integer',
    droppedAt: 'integer',
  } as const;
  await forRows(
    on,
    dropped,
    changes.dropped,
    (rows) => sql`
    insert into dropped_events (project_id, uuid, reason, received_at, dropped_at)
    select project_id, uuid, reason, received_at, dropped_at from ${rows} r`,
  );
  if (changes.deadLetters.length > 0)
    await on.db
      .insertInto('deadLetters')
      .values([...changes.deadLetters])
      .execute();
  await forRows(
    on,
    { projectId: 'integer', type: 'text', details: 'text', at: 'integer' },
    changes.warnings,
    (rows) => sql`
    insert into ingestion_warnings (project_id, type, details, happened_at)
    select project_id, type, details, at from ${rows} r`,
  );
  if (changes.firstEvents.length > 0) {
    await on.db.updateTable('projects').set({ ingestedEvent: 1 }).where('id', 'in', changes.firstEvents).execute();
  }
  const counts = Object.entries(changes.counts).map(([fate, count]) => ({ fate, count }));
  await forRows(
    on,
    { fate: 'text', count: 'integer' },
    counts,
    (rows) => sql`
    insert into event_counters (fate, count) select fate, count from ${rows} r where true
    order by fate
    on conflict (fate) do update set count = event_counters.count + excluded.count`,
  );
}
