/**
 * In which intervals actors were active, as so many of them have it in common. The engine tells actors apart and hands
 * over their bits; these are counted here, since a sum for each interval would take the engine longer to plan than to
 * answer.
 */
import type { ColumnTable } from '../../stores/event-store.ts';
import type { AskedDeps } from '../asked-events.ts';
import type { Statement } from './statement.ts';

/** Bits of a piece: columns hold 32-bit integers, none of them negative. */
const PIECE = 30;

/** What of a table of actors makes two of them alike. */
interface Alike {
  /** A row for each actor. */
  rows: string;
  /** Columns of bits, each with up to twice as many as a piece. */
  bits: readonly string[];
  /** Columns of small numbers. */
  numbers?: readonly string[];
}

/** Asks how many actors there are of each kind. */
export async function askPatterns(
  { events }: Pick<AskedDeps, 'events'>,
  { sql }: Statement,
  { rows, bits, numbers = [] }: Alike,
): Promise<ActivityPatterns> {
  const names = [...numbers, ...bits].join(', ');
  const pieces = bits.flatMap((name, at) => {
    const high = sql.quotient(`g.${name}`, sql.integer(2 ** PIECE));
    const low = `g.${name} - ${high} * ${sql.integer(2 ** PIECE)}`;
    return [`cast(${low} as integer) as b${2 * at}`, `cast(${high} as integer) as b${2 * at + 1}`];
  });
  const own = numbers.map((name) => `cast(g.${name} as integer) as ${name}`);
  const table = await events.columns(
    `select ${[...own, ...pieces].join(', ')}, cast(g.n as integer) as n
    from (select ${names}, count(*) as n from (${rows}) r group by ${names}) g`,
    sql.values,
  );
  return new ActivityPatterns(table, bits.length);
}

export class ActivityPatterns {
  readonly size: number;
  /** Pattern → how many actors have it. */
  readonly actors: Int32Array;
  readonly #table: ColumnTable;
  readonly #pieces: readonly Int32Array[];

  /** `words`: how many columns of bits there were. */
  constructor(table: ColumnTable, words: number) {
    this.size = table.rows;
    this.actors = table.integers('n');
    this.#table = table;
    this.#pieces = Array.from({ length: 2 * words }, (_, at) => table.integers(`b${at}`));
  }

  numbers(name: string): Int32Array {
    return this.#table.integers(name);
  }

  /** Calls with every bit that is set in the pattern, the lowest first: in all columns, or in one. */
  each(pattern: number, visit: (bit: number) => void): void {
    this.#visit(pattern, 0, this.#pieces.length, visit);
  }

  eachOf(column: number, pattern: number, visit: (bit: number) => void): void {
    this.#visit(pattern, 2 * column, 2 * column + 2, visit);
  }

  #visit(pattern: number, from: number, past: number, visit: (bit: number) => void): void {
    for (let at = from; at < past; at++) {
      for (let rest = this.#pieces[at]?.[pattern] ?? 0; rest !== 0; rest &= rest - 1) {
        visit((at - from) * PIECE + 31 - Math.clz32(rest & -rest));
      }
    }
  }
}
