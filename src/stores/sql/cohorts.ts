import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Cohort, CohortMemberStore, CohortStore } from '../metadata/cohorts.ts';
import { idRows } from './dialect.ts';
import { parseStoredJson } from './json-text.ts';
import { paged } from './paging.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

const toCohort = (row: Selectable<Tables['cohorts']>): Cohort => ({
  ...row,
  id: Number(row.id),
  groups: parseStoredJson(row.groups) as Json[],
  filters: parseStoredJson(row.filters) as JsonObject,
  isStatic: row.isStatic === 1,
  deleted: row.deleted === 1,
  isCalculating: row.isCalculating === 1,
});

const toColumns = (cohort: Omit<Cohort, 'id'>): Insertable<Tables['cohorts']> => ({
  ...cohort,
  groups: stringifyExact(cohort.groups),
  filters: stringifyExact(cohort.filters),
  isStatic: toBit(cohort.isStatic),
  deleted: toBit(cohort.deleted),
  isCalculating: toBit(cohort.isCalculating),
});

export function cohortStore({ db }: Sql): CohortStore {
  const ofProject = (projectId: number) => db.selectFrom('cohorts').selectAll().where('projectId', '=', projectId);
  const existing = (projectId: number) => ofProject(projectId).where('deleted', '=', 0);
  const newestFirst = (projectId: number) =>
    existing(projectId).orderBy('cohorts.createdAt', 'desc').orderBy('cohorts.id', 'desc');
  const dynamic = () => db.selectFrom('cohorts').selectAll().where('deleted', '=', 0).where('isStatic', '=', 0);
  return {
    async create(cohort) {
      const row = await db.insertInto('cohorts').values(toColumns(cohort)).returningAll().executeTakeFirstOrThrow();
      return toCohort(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toCohort(row) : null;
    },
    listByProject: async (projectId) => (await newestFirst(projectId).execute()).map(toCohort),
    list: (projectId, page) => paged(newestFirst(projectId), page, toCohort),
    async listByPerson(projectId, personId) {
      const ids = db.selectFrom('cohortMembers').select('cohortId').where('personId', '=', personId);
      const known = newestFirst(projectId)
        .where('id', 'in', ids)
        .where((eb) => eb.or([eb('isStatic', '=', 1), eb('lastCalculation', 'is not', null)]));
      return (await known.execute()).map(toCohort);
    },
    listPending: async () => (await dynamic().where('isCalculating', '=', 1).orderBy('id').execute()).map(toCohort),
    async listDue(time, errors, limit) {
      const rows = await dynamic()
        .where('isCalculating', '=', 0)
        .where('errorsCalculating', '<=', errors)
        .where((eb) => eb.or([eb('lastCalculation', 'is', null), eb('lastCalculation', '<', time)]))
        // Never calculated comes first; engines sort nulls differently.
        .orderBy((eb) => eb.fn.coalesce('lastCalculation', sql<number>`0`))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toCohort);
    },
    async update({ id, ...cohort }) {
      await db.updateTable('cohorts').set(toColumns(cohort)).where('id', '=', id).execute();
    },
  };
}

export function cohortMemberStore({ db, dialect }: Sql): CohortMemberStore {
  const textRows = (texts: readonly string[]) =>
    dialect.rows(
      { text: 'text' },
      texts.map((text) => ({ text })),
    );
  const ids = async (query: RawBuilder<{ id: number }>): Promise<number[]> =>
    (await query.execute(db)).rows.map(({ id }) => Number(id));
  return {
    async listAfter(cohortId, personId, limit) {
      const rows = await db
        .selectFrom('cohortMembers')
        .select('personId')
        .where('cohortId', '=', cohortId)
        .where('personId', '>', personId)
        .orderBy('personId')
        .limit(limit)
        .execute();
      return rows.map((row) => Number(row.personId));
    },
    async add(projectId, cohortId, personIds) {
      const { numAffectedRows } = await sql`
        insert into cohort_members (cohort_id, person_id, project_id)
        select cast(${cohortId} as ${sql.raw(dialect.bigIntegerType)}), p.id, p.project_id
        from ${idRows(dialect, personIds)} r
        cross join persons p
        where p.id = r.id and p.project_id = ${projectId}
        order by p.id
        ${dialect.keyShareLock}
        on conflict do nothing`.execute(db);
      return Number(numAffectedRows ?? 0);
    },
    async remove(cohortId, personIds) {
      const { numAffectedRows } = await sql`
        delete from cohort_members
        where cohort_id = ${cohortId} and person_id in (select r.id from ${idRows(dialect, personIds)} r)`.execute(db);
      return Number(numAffectedRows ?? 0);
    },
    async count(cohortId) {
      const counted = db.selectFrom('cohortMembers').select((eb) => eb.fn.countAll().as('count'));
      return Number((await counted.where('cohortId', '=', cohortId).executeTakeFirst())?.count ?? 0);
    },
    listPersonIdsByUuid: (projectId, uuids) =>
      ids(sql`
        select p.id from ${textRows(uuids)} r
        cross join persons p
        where p.uuid = r.text and p.project_id = ${projectId}`),
    listPersonIdsByDistinctId: (projectId, distinctIds) =>
      ids(sql`
        select distinct d.person_id as id from ${textRows(distinctIds)} r
        cross join person_distinct_ids d
        where d.project_id = ${projectId} and d.distinct_id = r.text`),
    sortPersonIds: (projectId, personIds) =>
      ids(sql`
        select p.id from ${idRows(dialect, personIds)} r
        cross join persons p
        where p.id = r.id and p.project_id = ${projectId}
        order by p.created_at desc, p.uuid`),
    async listUuids(projectId, personIds) {
      const { rows } = await sql<{ uuid: string }>`
        select p.uuid from ${idRows(dialect, personIds)} r
        cross join persons p
        where p.id = r.id and p.project_id = ${projectId}`.execute(db);
      return rows.map((row) => row.uuid);
    },
  };
}
