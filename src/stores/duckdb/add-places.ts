/** Writes places into stored events, inside the caller's transaction. */
import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import type { Range } from '../../core/time/range.ts';
import { type AddressPlace, placeJson } from '../events/address-place.ts';
import { addressSql, isUnplacedSql } from '../events/unplaced-events.ts';
import { duckdbDialect } from './dialect.ts';
import { columnName, type PromotedColumns } from './promoted-columns.ts';
import { duckdbPromotedText } from './promoted-text.ts';
import { resolveProperties } from './read-properties.ts';
import type { DuckDbSessions } from './session-rows.ts';

interface PlaceDeps {
  writer: DuckDBConnection;
  columns: PromotedColumns;
  sessions: DuckDbSessions;
}

/** Returns how many events got a place. */
export async function addPlacesInDuckDb(
  { writer, columns, sessions }: PlaceDeps,
  projectId: number,
  range: Range,
  places: readonly AddressPlace[],
): Promise<number> {
  const promoted = columns.ofOwner('event').filter(({ key }) => places.some(({ place }) => Object.hasOwn(place, key)));
  await writer.run(
    `create or replace temp table known_places as
    select unnest($1) as address, unnest($2) as json ${promoted.map((_, at) => `, unnest($${at + 3}) as text${at}`).join('')}`,
    [
      listValue(places.map(({ address }) => address)),
      listValue(places.map(placeJson)),
      ...promoted.map(({ key }) => listValue(places.map(({ place }) => duckdbPromotedText(place, key)))),
    ],
    [LIST(VARCHAR), LIST(VARCHAR), ...promoted.map(() => LIST(VARCHAR))],
  );
  const sql = duckdbDialect.newStatement('e');
  const unplaced = isUnplacedSql(sql, projectId, range);
  const found = resolveProperties(
    `select e.uuid, p.* from event_rows e join known_places p on p.address = ${addressSql(sql)} where ${unplaced}`,
    sql.values,
    columns,
  );
  await writer.run(`create or replace temp table placed_events as ${found.sql}`, [...found.values]);
  const condition = `project_id = ${Math.trunc(projectId)} and uuid in (select uuid from placed_events)`;
  await sessions.noteChanged(writer, condition);
  await writer.run(`update large_texts set text = left(text, -1) || p.json from placed_events p
    where large_texts.project_id = ${Math.trunc(projectId)} and large_texts.uuid = p.uuid and large_texts.name = 'properties'
      and (large_texts.uuid, large_texts.piece) in (
        select uuid, max(piece) from large_texts where name = 'properties' and ${condition} group by uuid)`);
  const texts = promoted.map((column, at) => `, ${columnName(column)} = coalesce(p.text${at}, ${columnName(column)})`);
  const { rowsChanged } = await writer.run(
    `update event_rows set properties = left(properties, -1) || p.json ${texts.join('')} from placed_events p
    where event_rows.project_id = ${Math.trunc(projectId)} and event_rows.uuid = p.uuid`,
  );
  return rowsChanged;
}
