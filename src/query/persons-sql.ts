import type { SqlBuilder } from '../stores/events/dialect.ts';

/**
 * Everybody of the project, once for each id that events may know them by: `key` is that id, the rest is the person as
 * of now. One join with this finds the persons of events, where overrides and persons would take one each; and both are
 * small beside the events. `number` tells persons apart within the statement.
 */
export function personsSql(sql: SqlBuilder, projectId: number): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  return `(select r.*, k.key as key
    from (
      select person_id as key, person_id as person from person_rows
      where ${inProject} and person_id not in (select from_id from person_overrides where ${inProject})
      union all
      select from_id as key, to_id as person from person_overrides where ${inProject}
    ) k
    join (
      select *, cast(row_number() over () as integer) as number from person_rows where ${inProject}
    ) r on r.person_id = k.person)`;
}

/**
 * Joins the rows of a small table, one for each id that events have, with the persons whose these are now, as `p`: of
 * them only `person_id`. Quicker than `personsSql` where ids are no more than persons.
 */
export function joinPersonsSql(sql: SqlBuilder, projectId: number, key: string): string {
  const inProject = `project_id = ${sql.param(projectId)}`;
  return `left join (select from_id, to_id from person_overrides where ${inProject}) o on o.from_id = ${key}
    join (select person_id from person_rows where ${inProject}) p on p.person_id = coalesce(o.to_id, ${key})`;
}
