import type { Insertable, Selectable } from 'kysely';
import type { Json, JsonObject } from '../../core/events/json.ts';
import type { Cohort, CohortStore } from '../cohort-records.ts';
import { readJson } from './json-text.ts';
import { flag as bit, type Sql, type Tables } from './tables.ts';

const toCohort = (row: Selectable<Tables['cohorts']>): Cohort => ({
  ...row,
  id: Number(row.id),
  groups: readJson(row.groups) as Json[],
  filters: readJson(row.filters) as JsonObject,
  isStatic: row.isStatic === 1,
  deleted: row.deleted === 1,
  isCalculating: row.isCalculating === 1,
});

const toColumns = (cohort: Omit<Cohort, 'id'>): Insertable<Tables['cohorts']> => ({
  ...cohort,
  groups: JSON.stringify(cohort.groups),
  filters: JSON.stringify(cohort.filters),
  isStatic: bit(cohort.isStatic),
  deleted: bit(cohort.deleted),
  isCalculating: bit(cohort.isCalculating),
});

export function cohortStore({ db }: Sql): CohortStore {
  const ofProject = (projectId: number) => db.selectFrom('cohorts').selectAll().where('projectId', '=', projectId);
  return {
    async create(cohort) {
      const row = await db.insertInto('cohorts').values(toColumns(cohort)).returningAll().executeTakeFirstOrThrow();
      return toCohort(row);
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toCohort(row) : null;
    },
    async ofProject(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 0)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toCohort);
    },
    async update({ id, ...cohort }) {
      await db.updateTable('cohorts').set(toColumns(cohort)).where('id', '=', id).execute();
    },
  };
}
