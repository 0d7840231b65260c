/** Compares events by project and day. Each engine computes checksums of its own rows. */

import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import { clickhouseJson } from '../../stores/cluster/event-block.ts';
import { isLargeSql } from '../../stores/duckdb/large-events-sql.ts';
import type { ReadOnlyEventFile } from '../../stores/duckdb/read-only.ts';
import type { SqlRow, StoredEvent } from '../../stores/events/event-store.ts';
import { addChecksum, addText, type Checksums } from './checksums.ts';
import type { TableComparison } from './verify-tables.ts';

const NULLABLE_COLUMNS = [...[0, 1, 2, 3, 4].map((n) => `group_${n}`), ...HOT_PROPERTIES].map((name) => `"${name}"`);
/** Control characters as separator and for null. */
const [BETWEEN, NOTHING] = [31, 30];

/** A row as text, the same in both engines, with `properties` at the end. */
const DUCKDB_ROW = (properties: string): string =>
  [
    ...['uuid::varchar', 'event', 'distinct_id', 'person_id::varchar'],
    ...['epoch_ms(timestamp)::varchar', 'epoch_ms(created_at)::varchar', 'elements_chain'],
    ...NULLABLE_COLUMNS.map((column) => `coalesce(${column}, chr(${NOTHING}))`),
    properties,
  ].join(` || chr(${BETWEEN}) || `);

const CLICKHOUSE_ROW = `concat(${[
  ...['toString(uuid)', 'event', 'distinct_id', 'toString(person_id)'],
  ...['toString(timestamp)', 'toString(created_at)', 'elements_chain'],
  ...NULLABLE_COLUMNS.map((column) => `ifNull(${column}, char(${NOTHING}))`),
  'properties',
].join(`, char(${BETWEEN}), `)})`;

const DUCKDB_DAY = `floor(epoch_ms(timestamp) / ${DAY_MS}::double)::bigint`;
/** Such numbers are written differently for ClickHouse (see `jsonText`), so these rows are read one by one. */
const HAS_WIDE_NUMBER = `regexp_matches(properties, '[0-9]{20}')`;

const SOURCE_SUMS = `
  select project_id as project, day, count(*) as n, sum(h >> 32)::varchar as high, sum(h & 4294967295)::varchar as low
  from (
    select project_id, ${DUCKDB_DAY} as day, md5_number_upper(${DUCKDB_ROW('properties')}) as h
    from event_rows e where not ${HAS_WIDE_NUMBER} and not ${isLargeSql('e')}
  )
  group by all`;

const WIDE_ROWS = `
  select project_id as project, ${DUCKDB_DAY} as day, ${DUCKDB_ROW(`''`)} as text, properties
  from event_rows e where ${HAS_WIDE_NUMBER} and not ${isLargeSql('e')}`;

const TARGET_SUMS = `
  select project_id as project, day, count() as n,
    toString(sum(bitShiftRight(h, 32))) as high, toString(sum(bitAnd(h, 4294967295))) as low
  from (
    select project_id, toInt64(floor(timestamp / ${DAY_MS})) as day,
      reinterpretAsUInt64(substring(MD5(${CLICKHOUSE_ROW}), 1, 8)) as h
    from event_rows
  )
  group by project_id, day`;

/** Keys of the sums are 'project day', the day as a number since 1970. */
export async function compareEvents(events: ReadOnlyEventFile, store: BlockStore): Promise<TableComparison> {
  const source = checksumsOf(await events.query(SOURCE_SUMS));
  for (const row of await events.query(WIDE_ROWS)) {
    addText(source, keyOf(row), String(row['text']) + clickhouseJson(String(row['properties'])));
  }
  for await (const event of events.largeEvents()) addText(source, keyOfEvent(event), rowText(event));
  return { source, target: checksumsOf(await store.query(TARGET_SUMS, [])) };
}

const keyOfEvent = ({ projectId, timestamp }: StoredEvent): string => `${projectId} ${Math.floor(timestamp / DAY_MS)}`;

/** `CLICKHOUSE_ROW` of an event whose row here is shortened. */
const rowText = (event: StoredEvent): string =>
  [
    ...[event.uuid, event.event, event.distinctId, event.personId, event.timestamp, event.createdAt],
    event.elementsChain,
    ...[...event.groups, ...event.hot].map((text) => text ?? String.fromCharCode(NOTHING)),
    clickhouseJson(event.properties),
  ].join(String.fromCharCode(BETWEEN));

const OVERRIDES = 'from person_overrides order by project_id, from_id';

/** Merged persons, by project. */
export async function compareOverrides(events: ReadOnlyEventFile, store: BlockStore): Promise<TableComparison> {
  const sums = (rows: readonly SqlRow[]): Checksums => {
    const all: Checksums = new Map();
    for (const { project, from_uuid, to_uuid } of rows) addText(all, String(project), `${from_uuid} ${to_uuid}`);
    return all;
  };
  const [here, there] = [
    await events.query(
      `select project_id as project, from_id::varchar as from_uuid, to_id::varchar as to_uuid ${OVERRIDES}`,
    ),
    await store.query(
      `select project_id as project, toString(from_id) as from_uuid, toString(to_id) as to_uuid ${OVERRIDES}`,
      [],
    ),
  ];
  return { source: sums(here), target: sums(there) };
}

const keyOf = (row: SqlRow): string => `${row['project']} ${row['day']}`;

function checksumsOf(rows: readonly SqlRow[]): Checksums {
  const sums: Checksums = new Map();
  for (const row of rows) {
    const [high, low] = [BigInt(String(row['high'])), BigInt(String(row['low']))];
    addChecksum(sums, keyOf(row), { count: Number(row['n']), high, low });
  }
  return sums;
}

export function formatDay(key: string): string {
  const [project, day] = key.split(' ');
  const date = new Date(Number(day) * DAY_MS);
  return `project ${project}, ${Number.isNaN(date.getTime()) ? `day ${day}` : date.toISOString().slice(0, 10)}`;
}
