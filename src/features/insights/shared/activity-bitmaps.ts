/**
 * Who was active in which interval, as bits: one row per actor. Events are grouped by the person id they were stored
 * with; which person that is now is looked up once per id, not per event. The bits are counted here, because a sum per
 * interval would take the engine longer to plan than to run.
 */
import type { Actor } from '../../../core/actor.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { joinPersonsSql } from '../../../query/persons-sql.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';

const BITS_PER_WORD = 60;
/** With more intervals bitmaps are no longer faster. */
export const MAX_BITMAP_TICKS = 4 * BITS_PER_WORD;

interface ActivityQuery {
  actor: Actor;
  /** The number of intervals. */
  ticks: number;
  /** SQL of the index of an event's interval. */
  tick: string;
  /** SQL of the value of a breakdown; null: none. */
  value: string | null;
  join: string;
  where: string;
  /** Further columns: an aggregate over events, and the one that merges the results of several ids of a person. */
  also?: readonly { name: string; each: string; together: string }[];
}

/** A row per actor and value: `actor`, `value`, and the bits of the intervals in `wordColumns`. */
export function activitySql(statement: EventStatement, activity: ActivityQuery): string {
  const { actor, ticks, tick, value, join, where, also = [] } = activity;
  const { sql } = statement;
  const words = wordColumns(ticks);
  const isLater = actor.kind === 'person' && !statement.filtersPersons;
  const key = isLater ? 'e.person_id' : statement.actor(actor);
  const bits = words.map((word, at) => `${sql.bitOr(wordSql(statement, at, words.length, 'm.tick'))} as ${word}`);
  const own = [...bits, ...also.map(({ name, each }) => `${each} as ${name}`)].join(', ');
  const from = isLater ? 'from event_rows e' : statement.from();
  const matched = `select ${key} as actor, ${value ?? '0'} as value, ${tick} as tick, e.timestamp as timestamp
    ${from} ${join} where ${where} and ${key} is not null`;
  const valueColumn = value === null ? '' : ', value';
  const byKey = `select actor${valueColumn}, ${own} from (${matched}) m group by actor${valueColumn}`;
  if (!isLater) return byKey;
  const joined = [
    ...words.map((word) => `${sql.bitOr(`a.${word}`)} as ${word}`),
    ...also.map(({ name, together }) => `${together} as ${name}`),
  ].join(', ');
  return `select p.person_id as actor${value === null ? '' : ', a.value as value'}, ${joined}
    from (${byKey}) a ${joinPersonsSql(sql, statement.projectId, 'a.actor')}
    group by p.person_id${value === null ? '' : ', a.value'}`;
}

/** SQL of the number of intervals in which the actor was active. */
export const activeTicks = ({ sql }: EventStatement, ticks: number): string =>
  `(${wordColumns(ticks)
    .map((word) => sql.bitCount(word))
    .join(' + ')})`;

/** The columns with the bits of this many intervals; at least one, because a statement needs a column. */
export const wordColumns = (ticks: number): string[] =>
  Array.from({ length: Math.max(1, Math.ceil(ticks / BITS_PER_WORD)) }, (_, at) => `w${at}`);

function wordSql({ sql }: EventStatement, at: number, words: number, tick: string): string {
  if (words === 1) return sql.bit(tick);
  const [first, past] = [at * BITS_PER_WORD, (at + 1) * BITS_PER_WORD];
  // There are no intervals before the first word and after the last: two comparisons less for every event.
  const bounds = [...(at === 0 ? [] : [`${tick} >= ${first}`]), ...(at === words - 1 ? [] : [`${tick} < ${past}`])];
  return `case when ${bounds.join(' and ')} then ${sql.bit(`(${tick} - ${first})`)} else 0 end`;
}

/** Columns are 32-bit integers, which must not be negative. */
const BITS_PER_COLUMN = 30;

interface ActivityBitsQuery {
  /** Selects a row per actor. */
  actors: string;
  /** Its columns of bits, each with up to twice `BITS_PER_COLUMN`. */
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
  readonly actors: number;
  readonly #table: ColumnTable;
  readonly #pieces: readonly Int32Array[];

  /** `columns`: the number of columns of bits. */
  constructor(table: ColumnTable, columns: number) {
    this.actors = table.rowCount;
    this.#table = table;
    this.#pieces = Array.from({ length: 2 * columns }, (_, at) => table.integers(`b${at}`));
  }

  numbers(name: string): Int32Array {
    return this.#table.integers(name);
  }

  /** Visits the bits of an actor in order, as if all columns were one. */
  eachTick(actor: number, visit: (bit: number) => void): void {
    this.#visit(actor, 0, this.#pieces.length, visit);
  }

  /** The same for one column. */
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
