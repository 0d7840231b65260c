/** Events that have an address and no place: which they are, in the SQL of both engines. */
import type { Range } from '../../core/time/range.ts';
import type { SqlBuilder } from './dialect.ts';

/** The address of an event, read as `e`; empty where it has none. */
export const addressSql = (sql: SqlBuilder): string => `coalesce(${sql.property('$ip')}, '')`;

/**
 * Whether nothing is known of where the event came from. One that says anything of it, or forbids to look it up
 * (`$geoip_disable`), is left as it was sent.
 */
export const isUnplacedSql = (sql: SqlBuilder, projectId: number, { from, until }: Range): string =>
  `e.project_id = ${sql.param(projectId)} and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(until)}
    and e.properties not like '%"$geoip%' and ${addressSql(sql)} <> ''`;
