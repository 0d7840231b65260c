import { type Selectable, sql } from 'kysely';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { Person } from '../../core/persons/person.ts';
import type { MergeKind } from '../../core/persons/plan-merge.ts';
import type { MergeRecord, PersonIdentityStore } from '../metadata/person-identities.ts';
import type { SqlDialect } from './dialect.ts';
import { readLogProgress } from './ingest/ingest-store.ts';
import { writeHistory } from './ingest/write-history.ts';
import { paged } from './paging.ts';
import { restoreAttachments } from './person-attachments.ts';
import { nextPersonChange } from './person-change.ts';
import { propertyColumns } from './person-properties.ts';
import { deletePersonData } from './remove-person.ts';
import { blankDefinitionActivity, removeReferences } from './remove-references.ts';
import { runForEach } from './repeat.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

type MergeRow = Selectable<Tables['personMerges']>;

const toMerge = (row: MergeRow): MergeRecord => ({
  id: Number(row.id),
  projectId: Number(row.projectId),
  kind: row.kind as MergeKind,
  source: parseExact(row.source),
  target: parseExact(row.target),
  sourceId: row.sourceId === null ? null : Number(row.sourceId),
  movedIds: JSON.parse(row.movedIds),
  eventUuid: row.eventUuid,
  at: Number(row.happenedAt),
  undoneAt: row.undoneAt === null ? null : Number(row.undoneAt),
});

export function personIdentityStore(on: Sql): PersonIdentityStore {
  return { ...personRecords(on), ...mergeRecords(on) };
}

type MergeMethods =
  | 'listMerges'
  | 'getMerge'
  | 'listMergesInto'
  | 'getMergeBySource'
  | 'markMergeUndone'
  | 'updateMergeTarget'
  | 'getMergedPersons';

function personRecords(on: Sql): Omit<PersonIdentityStore, MergeMethods> {
  const { db, dialect } = on;
  return {
    progress: () => readLogProgress(on),
    async listDistinctIds(personId, only) {
      if (only === undefined) {
        const all = db.selectFrom('personDistinctIds').select('distinctId').where('personId', '=', personId);
        return (await all.orderBy('id').execute()).map((row) => row.distinctId);
      }
      const wanted = dialect.rows(
        { distinctId: 'text' },
        only.map((distinctId) => ({ distinctId })),
      );
      const { rows } = await sql<{ distinctId: string }>`
        select distinct_id from person_distinct_ids
        where person_id = ${personId} and distinct_id in (select distinct_id from ${wanted} w)
        order by id`.execute(db);
      return rows.map((row) => row.distinctId);
    },
    create: (persons) => addPersons(on, persons),
    async update({ uuid, createdAt, properties, isIdentified, version }) {
      await db
        .updateTable('persons')
        .set({
          createdAt,
          ...propertyColumns(on, properties),
          isIdentified: toBit(isIdentified),
          version,
          change: await nextPersonChange(on),
        })
        .where('uuid', '=', uuid)
        .execute();
    },
    async moveDistinctIds(projectId, moves) {
      await runForEach(
        on,
        moves,
        ({ distinctId, to }) => [to, projectId, distinctId],
        ([to, project, distinctId]) => sql`
          update person_distinct_ids
          set person_id = (select id from persons where uuid = ${to}), version = version + 1
          where project_id = ${project} and distinct_id = ${distinctId}`,
      );
    },
    addHistory: (history) => writeHistory(on, history),
    async deleteHistory(personUuid, eventUuid, names) {
      if (names.length === 0) return;
      await db
        .deleteFrom('personPropertyHistory')
        .where('personUuid', '=', personUuid)
        .where('eventUuid', '=', eventUuid)
        .where('name', 'in', names)
        .execute();
    },
    async queueReassignment({ projectId, personId, ...order }, deletionId) {
      const ids = JSON.stringify(order.kind === 'move' ? order.moves : order.distinctIds);
      await db
        .insertInto('personRefilings')
        .values({ projectId, personUuid: personId, kind: order.kind, ids, deletionId: deletionId ?? null })
        .execute();
    },
    async reviveUuid(uuid) {
      await db.deleteFrom('retiredPersonUuids').where('uuid', '=', uuid).execute();
    },
    delete: (person, merged) => deletePersonData(on, person, merged),
    blankDefinitionActivity: (projectId, texts) => blankDefinitionActivity(on, projectId, texts),
    removeReferences: (projectId, merged, distinctIds) => removeReferences(on, projectId, merged, distinctIds),
  };
}

async function addPersons(on: Sql, persons: readonly (Person & { id?: number | null })[]): Promise<void> {
  const change = await nextPersonChange(on);
  const rows = persons.map(({ id, projectId, uuid, createdAt, properties, isIdentified, version }) => ({
    ...(id ? { id } : {}),
    ...{ projectId, uuid, createdAt, isIdentified: toBit(isIdentified), version, change },
    ...propertyColumns(on, properties),
  }));
  for (const numbered of [true, false]) {
    const same = rows.filter((row) => 'id' in row === numbered);
    const columns = Object.keys(same[0] ?? {}).map((name) => sql.ref(name));
    await runForEach(
      on,
      same,
      (row) => Object.values(row),
      (values) => sql`insert into persons (${sql.join(columns)}) values (${sql.join(values)})`,
    );
  }
}

function mergeRecords({ db, dialect }: Sql): Pick<PersonIdentityStore, MergeMethods> {
  const ofProject = (projectId: number) => db.selectFrom('personMerges').where('projectId', '=', projectId);
  return {
    listMerges(projectId, personUuid, page) {
      const shown = sql<boolean>`project_id = ${projectId} and (source_uuid = ${personUuid} or target_uuid in (
        ${mergedPersonsSql(dialect, projectId, personUuid)} select uuid from merged))`;
      return paged(db.selectFrom('personMerges').selectAll().where(shown).orderBy('id', 'desc'), page, toMerge);
    },
    async getMerge(projectId, id) {
      const row = await ofProject(projectId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMerge(row) : null;
    },
    async listMergesInto(projectId, targetUuid) {
      const into = ofProject(projectId).selectAll().where('targetUuid', '=', targetUuid);
      return (await into.where('undoneAt', 'is', null).orderBy('id').execute()).map(toMerge);
    },
    async getMergeBySource(projectId, sourceUuid) {
      const ended = ofProject(projectId).selectAll().where('sourceUuid', '=', sourceUuid).where('undoneAt', 'is', null);
      const row = await ended.orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row ? toMerge(row) : null;
    },
    async markMergeUndone(id, undoneAt) {
      const { rows } = await sql<{ projectId: number; sourceId: number; targetId: number; belongings: string }>`
        select m.project_id, s.id as source_id, t.id as target_id, m.belongings
        from person_merges m
        join persons s on s.uuid = m.source_uuid
        join persons t on t.uuid = m.target_uuid
        where m.id = ${id}`.execute(db);
      for (const { belongings, ...merge } of rows) await restoreAttachments(db, merge, JSON.parse(belongings));
      await db.updateTable('personMerges').set({ undoneAt }).where('id', '=', id).execute();
    },
    async updateMergeTarget(id, target) {
      await db
        .updateTable('personMerges')
        .set({ target: stringifyExact(target) })
        .where('id', '=', id)
        .execute();
    },
    async getMergedPersons(projectId, personUuid) {
      const { rows } = await sql<{ uuid: string; sourceId: number | null }>`
        ${mergedPersonsSql(dialect, projectId, personUuid)} select uuid, source_id from merged`.execute(db);
      const numbers = rows.map((row) => row.sourceId).filter((id) => id !== null);
      return { uuids: rows.map((row) => row.uuid), ids: numbers.map(Number) };
    },
  };
}

const mergedPersonsSql = (dialect: SqlDialect, projectId: number, personUuid: string) => sql`
  with recursive merged (uuid, source_id) as (
    select ${dialect.text(personUuid)}, cast(null as bigint)
    union
    select m.source_uuid, m.source_id
    from person_merges m
    join merged on m.target_uuid = merged.uuid
    where m.project_id = ${projectId} and m.undone_at is null
  )`;
