/**
 * Who was active in which interval, as bits: one row for each actor, however often they came. Most of the work is done
 * by the ids that events have; whose ids those are is asked once for each id, not for each event.
 */

import type { Actor } from '../../../core/actor.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { joinPersonsSql } from '../../../query/persons-sql.ts';

/** Bits of one word. */
const BITS_PER_WORD = 60;
/** With more intervals than this, words would take more time than they save. */
export const MAX_BITMAP_TICKS = 4 * BITS_PER_WORD;

interface ActivityQuery {
  actor: Actor;
  /** How many intervals there are. */
  ticks: number;
  /** In which interval an event lies, counted from 0. */
  tick: string;
  /** By what actors are divided; null: by nothing. */
  value: string | null;
  join: string;
  where: string;
  /** Further columns: an aggregate over events, and the one that joins what several ids of an actor have of it. */
  also?: readonly { name: string; each: string; together: string }[];
}

/** A row for each actor, and value: `actor`, `value`, and the words that `wordColumns` names. */
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
  const divided = value === null ? '' : ', value';
  const byKey = `select actor${divided}, ${own} from (${matched}) m group by actor${divided}`;
  if (!isLater) return byKey;
  const joined = [
    ...words.map((word) => `${sql.bitOr(`a.${word}`)} as ${word}`),
    ...also.map(({ name, together }) => `${together} as ${name}`),
  ].join(', ');
  return `select p.person_id as actor${value === null ? '' : ', a.value as value'}, ${joined}
    from (${byKey}) a ${joinPersonsSql(sql, statement.projectId, 'a.actor')}
    group by p.person_id${value === null ? '' : ', a.value'}`;
}

/** In how many intervals the actor was active. */
export const activeTicks = ({ sql }: EventStatement, ticks: number): string =>
  `(${wordColumns(ticks)
    .map((word) => sql.bitCount(word))
    .join(' + ')})`;

/** The columns with the bits of so many intervals. */
export const wordColumns = (ticks: number): string[] =>
  Array.from({ length: Math.ceil(ticks / BITS_PER_WORD) }, (_, at) => `w${at}`);

function wordSql({ sql }: EventStatement, at: number, words: number, tick: string): string {
  if (words === 1) return sql.bit(tick);
  const [first, past] = [at * BITS_PER_WORD, (at + 1) * BITS_PER_WORD];
  return `case when ${tick} >= ${first} and ${tick} < ${past} then ${sql.bit(`(${tick} - ${first})`)} else 0 end`;
}
