/** SQL on the texts of large events (large-events.ts). */
export type LargeText = 'properties' | 'elements_chain';

/** In UTF-16 units. Each thread reads 2048 pieces at a time: 8 MB of ASCII. */
export const PIECE_LENGTH = 4 * 1024;

/** Deletes the whole texts of the events that are about to be deleted. `condition` may use $1, $2, …. */
export const deleteLargeTextsSql = (condition: string): string =>
  `delete from large_texts where project_id = $1 and uuid in (select uuid from event_rows where ${condition})`;

/** The whole text of an event, in SQL. */
export const wholeTextSql = (event: string, name: LargeText): string => `coalesce((
    select string_agg(l.text, '' order by l.piece) from large_texts l
    where l.project_id = ${event}.project_id and l.uuid = ${event}.uuid and l.name = '${name}'
  ), ${event}.${name})`;

/** The size of its texts, in SQL: pieces are counted, not read. */
export const largeEventBytesSql = (event: string): string => `(
    strlen(${event}.properties) + strlen(${event}.elements_chain) + ${PIECE_LENGTH} * (
      select count(*) from large_texts l where l.project_id = ${event}.project_id and l.uuid = ${event}.uuid
    ))`;

/** Whether the row is shortened. */
export const isLargeSql = (event: string): string => `exists (
    select 1 from large_texts l where l.project_id = ${event}.project_id and l.uuid = ${event}.uuid)`;
