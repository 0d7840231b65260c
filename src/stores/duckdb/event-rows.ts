import { DuckDBDataChunk, type DuckDBType, INTEGER, TIMESTAMP, UUID, VARCHAR } from '@duckdb/node-api';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { shortenProperties } from '../../core/events/shorten-properties.ts';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { Json } from '../../core/json/json.ts';
import type { PersonOverride, StoredEvent } from '../events/event-store.ts';
import type { MirrorBatch, MirroredPerson } from '../events/person-mirror.ts';
import { readableJson } from '../events/readable-json.ts';
import { CHUNK_ROWS, type Column, integerColumn, textColumn, timestampColumn, uuidColumn } from './column-writer.ts';
import type { PromotedColumn } from './promoted-columns.ts';
import { duckdbPromotedText, isMarked } from './promoted-text.ts';

export type Columns<Row> = readonly (readonly [DuckDBType, Column<Row>])[];

const GROUP_COUNT = 5;

/** 2048 rows of this size, which DuckDB reads at once, are 64 MB. */
export const MAX_ROW_BYTES = 32 * 1024;

export const exceedsRow = (text: string): boolean =>
  text.length > MAX_ROW_BYTES || (text.length * 3 > MAX_ROW_BYTES && Buffer.byteLength(text) > MAX_ROW_BYTES);

/** In the order of the table's columns. */
const EVENT_COLUMNS: Columns<StoredEvent> = [
  [INTEGER, integerColumn((event) => event.projectId)],
  [UUID, uuidColumn((event) => event.uuid)],
  [VARCHAR, textColumn((event) => event.event)],
  [VARCHAR, textColumn((event) => event.distinctId)],
  [UUID, uuidColumn((event) => event.personId)],
  [TIMESTAMP, timestampColumn((event) => event.timestamp)],
  [TIMESTAMP, timestampColumn((event) => event.createdAt)],
  [VARCHAR, textColumn((event) => readableJson(event.properties))],
  [VARCHAR, textColumn((event) => event.elementsChain)],
  ...Array.from({ length: GROUP_COUNT }, (_, i) => optionalText((event) => event.groups[i])),
  ...HOT_PROPERTIES.map((_, i) => optionalText((event) => event.hot[i])),
];

const OVERRIDE_COLUMNS: Columns<PersonOverride> = [
  [INTEGER, integerColumn((override) => override.projectId)],
  [UUID, uuidColumn((override) => override.from)],
  [UUID, uuidColumn((override) => override.to)],
];

function optionalText(
  read: (event: StoredEvent) => string | null | undefined,
): readonly [DuckDBType, Column<StoredEvent>] {
  return [VARCHAR, textColumn((event) => read(event) ?? null)];
}

/** `promoted`: the promoted columns of the table. */
export const eventChunks = (
  events: readonly StoredEvent[],
  promoted: readonly PromotedColumn[],
): Generator<DuckDBDataChunk> =>
  chunks(
    [...EVENT_COLUMNS, ...promoted.map((column) => promotedColumn<StoredEvent>(column, (event) => event.parsed))],
    events,
  );

type Parsed = Readonly<Record<string, Json>>;

/** Sets `hasMarks` before a row with a mark can be read. */
function promotedColumn<Row>(column: PromotedColumn, read: (row: Row) => Parsed): readonly [DuckDBType, Column<Row>] {
  return [
    VARCHAR,
    textColumn((row) => {
      const text = duckdbPromotedText(read(row), column.key);
      if (isMarked(text)) column.hasMarks = true;
      return text;
    }),
  ];
}

export const overrideChunks = (overrides: readonly PersonOverride[]): Generator<DuckDBDataChunk> =>
  chunks(OVERRIDE_COLUMNS, overrides);

export function personChunks(
  { projectId, persons }: MirrorBatch,
  promoted: readonly PromotedColumn[],
): Generator<DuckDBDataChunk> {
  const rows = persons.map(shortenPerson);
  const parsed = new Map(promoted.length === 0 ? [] : rows.map((person) => [person, parseProperties(person)]));
  return chunks(
    [
      [INTEGER, integerColumn(() => projectId)],
      [UUID, uuidColumn((person) => person.uuid)],
      [TIMESTAMP, timestampColumn((person) => person.createdAt)],
      [VARCHAR, textColumn((person) => readableJson(person.properties))],
      ...promoted.map((column) => promotedColumn<MirroredPerson>(column, (person) => parsed.get(person) ?? {})),
    ],
    rows,
  );
}

/** As for large events; the whole person is in the metadata. */
const shortenPerson = (person: MirroredPerson): MirroredPerson =>
  exceedsRow(person.properties)
    ? { ...person, properties: stringifyExact(shortenProperties(parseProperties(person), MAX_ROW_BYTES)) }
    : person;

const parseProperties = ({ properties }: MirroredPerson): Parsed => parseExact(properties) as Parsed;

export function* chunks<Row>(columns: Columns<Row>, rows: readonly Row[]): Generator<DuckDBDataChunk> {
  const types = columns.map(([type]) => type);
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
    const part = rows.slice(at, at + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(types, part.length);
    columns.forEach(([, write], i) => {
      write(chunk, i, part);
    });
    yield chunk;
  }
}
