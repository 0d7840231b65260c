import type { SqlBuilder } from '../stores/events/dialect.ts';

/**
 * All persons of the project, with a row for each id that events may have for them: `key` is that id, the other columns
 * are the current person. One join with this finds the persons of events, instead of one with overrides and another with
 * persons. `number` identifies persons within the statement. `numbered`: only these persons, a subquery of each `actor`
 * and its `number`.
 */
export function personsSql(sql: SqlBuilder, projectId: number, numbered: string | null = null): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  const persons =
    numbered === null
      ? `select *, cast(row_number() over () as integer) as number from person_rows where ${inProject}`
      : `select q.*, n.number as number from person_rows q join (${numbered}) n on n.actor = q.person_id
        where q.${inProject}`;
  return `(select r.*, k.key as key
    from (
      select person_id as key, person_id as person from person_rows
      where ${inProject} and person_id not in (select from_id from person_overrides where ${inProject})
      union all
      select from_id as key, to_id as person from person_overrides where ${inProject}
    ) k
    join (${persons}) r on r.person_id = k.person)`;
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

/**
 * The persons of a table, which has a row for each current person, `actor`, with a `number`: `key` for each id that
 * events may have for them, `person_id` and `number`.
 */
export function keysOfPersonsSql(sql: SqlBuilder, projectId: number, table: string): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  return `select n.actor as key, n.actor as person_id, n.number as number from ${table} n
      where n.actor not in (select from_id from person_overrides where ${inProject})
    union all
    select o.from_id as key, o.to_id as person_id, n.number as number from ${table} n
      join (select * from person_overrides where ${inProject}) o on o.to_id = n.actor`;
}
