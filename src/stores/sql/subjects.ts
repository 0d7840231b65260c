import { sql } from 'kysely';
import { parseExact } from '../../core/json/exact-json.ts';
import type { FlagOverride, GroupKey, SubjectPerson, SubjectStore } from '../metadata/subjects.ts';
import { compiled } from './compiled.ts';
import type { Sql } from './tables.ts';

interface SubjectPersonRow {
  id: number;
  properties: string;
}

export const toSubjectPerson = ({ id, properties }: SubjectPersonRow): SubjectPerson => ({
  id: Number(id),
  properties: parseExact(properties),
});

export function subjectStore(on: Sql): SubjectStore {
  const { db, dialect } = on;
  const queries = compiledQueries(on);
  return {
    async getPerson(projectId, distinctId) {
      const [row] = await queries.person([projectId, distinctId]);
      return row ? toSubjectPerson(row) : null;
    },
    // Every read sees the current database.
    refresh: () => undefined,
    async getPersons(projectId, distinctIds) {
      if (distinctIds.length === 0) return new Map();
      const rows = await queries.persons([rowsOf('distinctId', distinctIds), projectId]);
      return new Map(rows.map((row) => [row.distinctId, toSubjectPerson(row)]));
    },
    async listGroupTypes(projectId) {
      const rows = await db
        .selectFrom('groupTypes')
        .select(['typeIndex', 'name'])
        .where('projectId', '=', projectId)
        .orderBy('typeIndex')
        .execute();
      return new Map(rows.map(({ typeIndex, name }) => [typeIndex, name]));
    },
    async listGroups(projectId, keys) {
      if (keys.length === 0) return [];
      const rows = await queries.groups([JSON.stringify(keys), projectId]);
      return rows.map(({ properties, ...key }) => ({ ...key, properties: parseExact(properties) }));
    },
    async listCohortsWith(personId, cohortIds) {
      if (cohortIds.length === 0) return [];
      const rows = await queries.cohorts([rowsOf('cohortId', cohortIds), personId]);
      return rows.map((row) => Number(row.cohortId));
    },
    async listOverrides(personIds) {
      if (personIds.length === 0) return [];
      const rows = await queries.overrides([rowsOf('personId', personIds)]);
      return rows.map((row) => ({ ...row, personId: Number(row.personId) }));
    },
    async createOverrides(projectId, overrides) {
      if (overrides.length === 0) return;
      // Skips persons that are merged away meanwhile: their overrides would stay behind.
      await sql`
        insert into flag_overrides (person_id, flag_key, project_id, identifier)
        select p.id, r.flag_key, p.project_id, r.identifier
        from ${dialect.rows({ personId: 'integer', flagKey: 'text', identifier: 'text' }, overrides)} r
        cross join persons p
        where p.id = r.person_id and p.project_id = ${projectId}
        order by p.id
        ${dialect.keyShareLock}
        on conflict do nothing`.execute(db);
    },
  };
}

const rowsOf = (name: string, values: readonly unknown[]): string =>
  JSON.stringify(values.map((value) => ({ [name]: value })));

/** 'cross join' makes SQLite start with the small side; otherwise it may scan the large one. */
function compiledQueries({ db, dialect }: Sql) {
  return {
    person: compiled<SubjectPersonRow>(
      db,
      () => sql`
      select p.id, p.properties
      from person_distinct_ids d
      inner join persons p on p.id = d.person_id
      where d.project_id = ${0} and d.distinct_id = ${''}`,
    ),
    persons: compiled<SubjectPersonRow & { distinctId: string }>(
      db,
      () => sql`
      select d.distinct_id, p.id, p.properties
      from ${dialect.rows({ distinctId: 'text' }, [])} w
      cross join person_distinct_ids d
      cross join persons p
      where d.distinct_id = w.distinct_id and p.id = d.person_id and d.project_id = ${0}`,
    ),
    groups: compiled<GroupKey & { properties: string }>(
      db,
      () => sql`
      select g.type_index, g.group_key as key, g.properties
      from ${dialect.rows({ typeIndex: 'integer', key: 'text' }, [])} w
      cross join "groups" g
      where g.type_index = w.type_index and g.group_key = w.key and g.project_id = ${0}`,
    ),
    cohorts: compiled<{ cohortId: number }>(
      db,
      () => sql`
      select m.cohort_id
      from ${dialect.rows({ cohortId: 'integer' }, [])} w
      cross join cohort_members m
      where m.cohort_id = w.cohort_id and m.person_id = ${0}
      order by m.cohort_id`,
    ),
    overrides: compiled<FlagOverride>(
      db,
      () => sql`
      select o.person_id, o.flag_key, o.identifier
      from ${dialect.rows({ personId: 'integer' }, [])} w
      cross join flag_overrides o
      where o.person_id = w.person_id
      order by o.person_id, o.flag_key`,
    ),
  };
}
