/**
 * In which intervals each actor was active. The engine tells actors apart and hands over their bits; these are counted
 * here, since a sum for each interval would take the engine longer to plan than to answer.
 */

import type { EventStatement } from '../../../query/event-statement.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';

/** Bits of a piece: columns hold 32-bit integers, none of them negative. */
const BITS_PER_COLUMN = 30;

interface ActivityBitsQuery {
  /** A statement with a row for each actor. */
  actors: string;
  /** Its columns of bits, each with up to twice as many as a piece. */
  bits: readonly string[];
  /** Its columns of small numbers. */
  numbers?: readonly string[];
}

export async function queryActivityBits(
  { events }: Pick<ScanDeps, 'events'>,
  { sql }: EventStatement,
  { actors, bits, numbers = [] }: ActivityBitsQuery,
): Promise<ActivityBits> {
  const columns = bits.flatMap((name, at) => {
    const high = sql.quotient(`a.${name}`, sql.integer(2 ** BITS_PER_COLUMN));
    const low = `a.${name} - ${high} * ${sql.integer(2 ** BITS_PER_COLUMN)}`;
    return [`cast(${low} as integer) as b${2 * at}`, `cast(${high} as integer) as b${2 * at + 1}`];
  });
  columns.push(...numbers.map((name) => `cast(a.${name} as integer) as ${name}`));
  return new ActivityBits(
    await events.queryColumns(`select ${columns.join(', ')} from (${actors}) a`, sql.values),
    bits.length,
  );
}

export class ActivityBits {
  /** How many there are. */
  readonly actors: number;
  readonly #table: ColumnTable;
  readonly #pieces: readonly Int32Array[];

  /** `columns`: how many columns of bits there are. */
  constructor(table: ColumnTable, columns: number) {
    this.actors = table.rowCount;
    this.#table = table;
    this.#pieces = Array.from({ length: 2 * columns }, (_, at) => table.integers(`b${at}`));
  }

  numbers(name: string): Int32Array {
    return this.#table.integers(name);
  }

  /** Calls with every bit of the actor, the lowest first, as if all columns were one. */
  eachTick(actor: number, visit: (bit: number) => void): void {
    this.#visit(actor, 0, this.#pieces.length, visit);
  }

  /** The same of one column. */
  eachTickIn(column: number, actor: number, visit: (bit: number) => void): void {
    this.#visit(actor, 2 * column, 2 * column + 2, visit);
  }

  #visit(actor: number, from: number, past: number, visit: (bit: number) => void): void {
    for (let at = from; at < past; at++) {
      for (let rest = this.#pieces[at]?.[actor] ?? 0; rest !== 0; rest &= rest - 1) {
        visit((at - from) * BITS_PER_COLUMN + 31 - Math.clz32(rest & -rest));
      }
    }
  }
}
