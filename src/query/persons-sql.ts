import type { SqlBuilder } from '../stores/events/dialect.ts';

/**
 * All persons of the project, with a row for each id that events may have for them: `key` is that id, the other columns
 * are the current person. One join with this finds the persons of events, instead of one with overrides and another with
 * persons. `number` identifies persons within the statement. `ids`: only these persons.
 */
export function personsSql(sql: SqlBuilder, projectId: number, ids: readonly string[] | null = null): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  const isWanted = (column: string): string => (ids === null ? 'true' : `${column} in (${idsSql(sql, ids)})`);
  return `(select r.*, k.key as key
    from (
      select person_id as key, person_id as person from person_rows
      where ${inProject} and ${isWanted('person_id')}
        and person_id not in (select from_id from person_overrides where ${inProject})
      union all
      select from_id as key, to_id as person from person_overrides where ${inProject} and ${isWanted('to_id')}
    ) k
    join (
      select *, cast(row_number() over () as integer) as number from person_rows
      where ${inProject} and ${isWanted('person_id')}
    ) r on r.person_id = k.person)`;
}

/** A list of ids as a subquery. */
export const idsSql = (sql: SqlBuilder, ids: readonly string[]): string =>
  `select cast(r.id as uuid) as id from ${sql.rows(
    ['id'],
    ids.map((id) => ({ id })),
  )} r`;

/**
 * Joins a small table, which has a row for each person id of events, with the current persons as `p`, of which there is
 * only `person_id`. Faster than `personsSql` on tables with at most one row for each person.
 */
export function joinPersonsSql(sql: SqlBuilder, projectId: number, key: string): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  return `left join (select from_id, to_id from person_overrides where ${inProject}) o on o.from_id = ${key}
    join (select person_id from person_rows where ${inProject}) p on p.person_id = coalesce(o.to_id, ${key})`;
}
