/**
 * Large events. DuckDB reads a column 2048 values at a time, and all of them must fit into its memory: some hundreds of
 * events of a megabyte each would make every query of their rows, and every checkpoint, fail. A large event therefore has
 * a shortened row, which filters and breakdowns read, and its whole texts in pieces in `large_texts`, from which lists
 * and exports read them.
 */
import { type DuckDBConnection, INTEGER, UUID, VARCHAR } from '@duckdb/node-api';
import { MAX_SHORTENED_VALUE, shortenProperties } from '../../core/events/shorten-properties.ts';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { truncateText } from '../../core/json/text.ts';
import type { StoredEvent } from '../events/event-store.ts';
import { readableJson } from '../events/readable-json.ts';
import { appendChunks } from './append-chunks.ts';
import { integerColumn, textColumn, uuidColumn } from './column-writer.ts';
import { chunks, exceedsRow, MAX_ROW_BYTES } from './event-rows.ts';
import { type LargeText, PIECE_LENGTH } from './large-events-sql.ts';

/** The texts of an event that have no limit of their own. */
const LARGE_TEXTS = {
  properties: (event: StoredEvent) => readableJson(event.properties),
  elements_chain: (event: StoredEvent) => event.elementsChain,
} as const satisfies Record<LargeText, (event: StoredEvent) => string>;

const isLarge = ({ properties, elementsChain }: StoredEvent): boolean =>
  exceedsRow(properties) || exceedsRow(elementsChain);

/** The rows of these events, and those that are shortened in them. */
export function splitLargeEvents(events: readonly StoredEvent[]): {
  rows: readonly StoredEvent[];
  large: readonly StoredEvent[];
} {
  const large = events.filter(isLarge);
  if (large.length === 0) return { rows: events, large };
  return { rows: events.map((event) => (isLarge(event) ? shortenEvent(event) : event)), large };
}

function shortenEvent(event: StoredEvent): StoredEvent {
  const parsed = shortenProperties(parseExact(event.properties), MAX_ROW_BYTES);
  return {
    ...event,
    parsed,
    properties: stringifyExact(parsed),
    hot: event.hot.map((text) => (text === null ? null : truncateText(text, MAX_SHORTENED_VALUE))),
    elementsChain: truncateText(event.elementsChain, MAX_ROW_BYTES / 3),
  };
}

interface Piece {
  projectId: number;
  uuid: string;
  name: LargeText;
  piece: number;
  text: string;
}

/** Writes the whole texts inside the caller's transaction. */
export async function writeLargeTexts(connection: DuckDBConnection, events: readonly StoredEvent[]): Promise<void> {
  // Event by event, so that the pieces of many large events are never in memory together.
  for (const event of events) await appendChunks(connection, 'large_texts', chunks(PIECE_COLUMNS, piecesOf(event)));
}

const PIECE_COLUMNS = [
  [INTEGER, integerColumn((piece: Piece) => piece.projectId)],
  [UUID, uuidColumn((piece: Piece) => piece.uuid)],
  [VARCHAR, textColumn((piece: Piece) => piece.name)],
  [INTEGER, integerColumn((piece: Piece) => piece.piece)],
  [VARCHAR, textColumn((piece: Piece) => piece.text)],
] as const;

const piecesOf = (event: StoredEvent): Piece[] =>
  (['properties', 'elements_chain'] as const).flatMap((name) => {
    const { projectId, uuid } = event;
    return split(LARGE_TEXTS[name](event)).map((text, piece) => ({ projectId, uuid, name, piece, text }));
  });

/** Never within a surrogate pair, which could not be stored. */
function split(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const isPair = (text.codePointAt(at + PIECE_LENGTH - 1) ?? 0) > 0xffff;
    const end = at + PIECE_LENGTH - (isPair ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
