import { type Selectable, sql } from 'kysely';
import type { Person } from '../../core/persons/person.ts';
import type { MergeKind } from '../../core/persons/plan-merge.ts';
import type { MergeRecord, PersonJournal } from '../metadata/person-identities.ts';
import type { SqlDialect } from './dialect.ts';
import { readPosition } from './ingest/ingest-store.ts';
import { writeHistory } from './ingest/write-history.ts';
import { paged } from './paging.ts';
import { giveBelongingsBack } from './person-attachments.ts';
import { nextPersonChange } from './person-change.ts';
import { removePerson } from './remove-person.ts';
import { removeMentions } from './remove-references.ts';
import { repeat } from './repeat.ts';
import { flag, type Sql, type Tables } from './tables.ts';

type MergeRow = Selectable<Tables['personMerges']>;

const toMerge = (row: MergeRow): MergeRecord => ({
  id: Number(row.id),
  projectId: Number(row.projectId),
  kind: row.kind as MergeKind,
  source: JSON.parse(row.source),
  target: JSON.parse(row.target),
  sourceId: row.sourceId === null ? null : Number(row.sourceId),
  movedIds: JSON.parse(row.movedIds),
  eventUuid: row.eventUuid,
  at: Number(row.happenedAt),
  undoneAt: row.undoneAt === null ? null : Number(row.undoneAt),
});

export function personJournal(on: Sql): PersonJournal {
  return { ...personRecords(on), ...mergeRecords(on) };
}

type MergeMethods = 'merges' | 'merge' | 'mergesInto' | 'mergeOf' | 'markUndone' | 'rebase' | 'family';

function personRecords(on: Sql): Omit<PersonJournal, MergeMethods> {
  const { db, dialect } = on;
  return {
    position: () => readPosition(on),
    async distinctIds(personId, among) {
      if (among === undefined) {
        const all = db.selectFrom('personDistinctIds').select('distinctId').where('personId', '=', personId);
        return (await all.orderBy('id').execute()).map((row) => row.distinctId);
      }
      const wanted = dialect.rows(
        { distinctId: 'text' },
        among.map((distinctId) => ({ distinctId })),
      );
      const { rows } = await sql<{ distinctId: string }>`
        select distinct_id from person_distinct_ids
        where person_id = ${personId} and distinct_id in (select distinct_id from ${wanted} w)
        order by id`.execute(db);
      return rows.map((row) => row.distinctId);
    },
    add: (persons) => addPersons(on, persons),
    async update({ uuid, createdAt, properties, isIdentified, version }) {
      await db
        .updateTable('persons')
        .set({
          createdAt,
          properties: JSON.stringify(properties),
          isIdentified: flag(isIdentified),
          version,
          change: await nextPersonChange(on),
        })
        .where('uuid', '=', uuid)
        .execute();
    },
    giveIds: (projectId, moves) =>
      repeat(
        db as never,
        moves,
        ({ distinctId, to }) => [to, projectId, distinctId],
        ([to, project, distinctId]) => sql`
          update person_distinct_ids
          set person_id = (select id from persons where uuid = ${to}), version = version + 1
          where project_id = ${project} and distinct_id = ${distinctId}`,
      ),
    remember: (history) => writeHistory(on, history),
    async forgetHistory(personUuid, eventUuid, names) {
      if (names.length === 0) return;
      await db
        .deleteFrom('personPropertyHistory')
        .where('personUuid', '=', personUuid)
        .where('eventUuid', '=', eventUuid)
        .where('name', 'in', names)
        .execute();
    },
    async order({ projectId, personId, ...order }, deletionId) {
      const ids = JSON.stringify(order.kind === 'move' ? order.moves : order.distinctIds);
      await db
        .insertInto('personRefilings')
        .values({ projectId, personUuid: personId, kind: order.kind, ids, deletionId: deletionId ?? null })
        .execute();
    },
    async unretire(uuid) {
      await db.deleteFrom('retiredPersonUuids').where('uuid', '=', uuid).execute();
    },
    remove: (person, family) => removePerson(on, person, family),
    removeMentions: (projectId, family, distinctIds) => removeMentions(on, projectId, family, distinctIds),
  };
}

async function addPersons(on: Sql, persons: readonly (Person & { id?: number | null })[]): Promise<void> {
  const change = await nextPersonChange(on);
  const values = (person: Person & { id?: number | null }): unknown[] => [
    ...(person.id ? [person.id] : []),
    person.projectId,
    person.uuid,
    person.createdAt,
    JSON.stringify(person.properties),
    flag(person.isIdentified),
    person.version,
    change,
  ];
  for (const numbered of [true, false]) {
    const columns = sql.raw(
      `${numbered ? 'id, ' : ''}project_id, uuid, created_at, properties, is_identified, version, change`,
    );
    await repeat(
      on.db as never,
      persons.filter(({ id }) => Boolean(id) === numbered),
      values,
      (row) => sql`insert into persons (${columns}) values (${sql.join(row)})`,
    );
  }
}

function mergeRecords({ db, dialect }: Sql): Pick<PersonJournal, MergeMethods> {
  const ofProject = (projectId: number) => db.selectFrom('personMerges').where('projectId', '=', projectId);
  return {
    merges(projectId, personUuid, page) {
      const shown = sql`project_id = ${projectId} and (source_uuid = ${personUuid} or target_uuid in (
        ${familyOf(dialect, projectId, personUuid)} select uuid from family))`;
      return paged(
        {
          count: async () =>
            (await sql<{ count: number }>`select count(*) as count from person_merges where ${shown}`.execute(db))
              .rows[0],
          rows: async ({ limit, offset }) =>
            (
              await sql<MergeRow>`select * from person_merges where ${shown}
                order by id desc limit ${limit} offset ${offset}`.execute(db)
            ).rows,
        },
        page,
        toMerge,
      );
    },
    async merge(projectId, id) {
      const row = await ofProject(projectId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMerge(row) : null;
    },
    async mergesInto(projectId, targetUuid) {
      const into = ofProject(projectId).selectAll().where('targetUuid', '=', targetUuid);
      return (await into.where('undoneAt', 'is', null).orderBy('id').execute()).map(toMerge);
    },
    async mergeOf(projectId, sourceUuid) {
      const ended = ofProject(projectId).selectAll().where('sourceUuid', '=', sourceUuid).where('undoneAt', 'is', null);
      const row = await ended.orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row ? toMerge(row) : null;
    },
    async markUndone(id, undoneAt) {
      const { rows } = await sql<{ projectId: number; sourceId: number; targetId: number; belongings: string }>`
        select m.project_id, s.id as source_id, t.id as target_id, m.belongings
        from person_merges m
        join persons s on s.uuid = m.source_uuid
        join persons t on t.uuid = m.target_uuid
        where m.id = ${id}`.execute(db);
      for (const { belongings, ...parting } of rows) await giveBelongingsBack(db, parting, JSON.parse(belongings));
      await db.updateTable('personMerges').set({ undoneAt }).where('id', '=', id).execute();
    },
    async rebase(id, target) {
      await db
        .updateTable('personMerges')
        .set({ target: JSON.stringify(target) })
        .where('id', '=', id)
        .execute();
    },
    async family(projectId, personUuid) {
      const { rows } = await sql<{ uuid: string; sourceId: number | null }>`
        ${familyOf(dialect, projectId, personUuid)} select uuid, source_id from family`.execute(db);
      const numbers = rows.map((row) => row.sourceId).filter((id) => id !== null);
      return { uuids: rows.map((row) => row.uuid), ids: numbers.map(Number) };
    },
  };
}

const familyOf = (dialect: SqlDialect, projectId: number, personUuid: string) => sql`
  with recursive family (uuid, source_id) as (
    select ${dialect.text(personUuid)}, cast(null as bigint)
    union
    select m.source_uuid, m.source_id
    from person_merges m
    join family f on m.target_uuid = f.uuid
    where m.project_id = ${projectId} and m.undone_at is null
  )`;
