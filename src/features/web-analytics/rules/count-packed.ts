/** Counts the rows of a period for several tables at once. */
import { type CodeGroups, type GroupNumbers, inTurns, type Pause, type Persons, RowsByPerson } from './count-groups.ts';
import type { FieldPlace } from './row-layout.ts';

/** The number of rows that a table is about. */
export interface CountedField {
  place: FieldPlace;
  groups: CodeGroups;
}

/** When rows happened. */
interface RowTimes {
  times: Int32Array;
  /** The starts of the intervals, and the end of the last, as the times. */
  bounds: Int32Array;
  /** Of the interval's index, which is filled in. */
  place: FieldPlace;
}

interface SessionColumns {
  /** Twice the ms, a day at most, and 1 more with one hit or none. */
  durations: Int32Array;
  /** A session with one hit that takes as long is no bounce. */
  bounceSeconds: number;
}

/** May be sent to another thread. Its columns are overwritten. */
export interface PackedRows {
  words: readonly Int32Array[];
  /** Where the visitors of the rows are, who are taken out. */
  visitor: FieldPlace;
  /** Null where intervals are not counted. */
  times: RowTimes | null;
  /** Of sessions. */
  sessions: SessionColumns | null;
  persons: Persons;
  /** A number that the rows do not have yet, by person. */
  filled: { place: FieldPlace; codeOf: Uint8Array } | null;
  fields: readonly CountedField[];
}

/** All columns with a number for each row. */
export const columnsOf = ({ words, times, sessions }: PackedRows): Int32Array[] => [
  ...words,
  ...(times === null ? [] : [times.times]),
  ...(sessions === null ? [] : [sessions.durations]),
];

export interface CountedRows {
  /** Of the fields. */
  tables: GroupNumbers[];
  /** Everybody who has a row. */
  persons: Int32Array;
}

export async function countPacked(
  { words, visitor, times, sessions, persons, filled, fields }: PackedRows,
  pause: Pause,
): Promise<CountedRows> {
  const packed = words[visitor.word] as Int32Array;
  const visitors = new Int32Array(packed.length);
  const work = (from: number, until: number): void => {
    takeOut(packed, visitor, visitors, from, until);
    if (times !== null) addTicks(words[times.place.word] as Int32Array, times, from, until);
    if (sessions !== null) packSums(sessions, from, until);
  };
  await inTurns(visitors.length, pause, work);
  const all = sessions === null ? words : [...words, sessions.durations];
  const spare = times?.times ?? new Int32Array(visitors.length);
  const rows = await RowsByPerson.inOrder(visitors, all, spare, persons, pause);
  if (filled !== null) rows.fill(filled.place, filled.codeOf);
  const sums = sessions && rows.sumsOf(words.length);
  const tables: GroupNumbers[] = [];
  for (const { place, groups } of fields) tables.push(await rows.count(place, groups, sums));
  return { tables, persons: rows.persons };
}

/** Leaves nothing in the place of the number. */
function takeOut(words: Int32Array, { shift, mask }: FieldPlace, taken: Int32Array, from: number, until: number): void {
  const others = ~(mask << shift);
  for (let row = from; row < until; row++) {
    const word = words[row] as number;
    taken[row] = (word >>> shift) & mask;
    words[row] = word & others;
  }
}

/**
 * Rows are almost in the order of their times, so most are of the same interval as the one before. Most intervals are of
 * one length, so the first guess is right, or almost.
 */
function addTicks(words: Int32Array, { times, bounds, place: { shift } }: RowTimes, from: number, until: number): void {
  const first = bounds[0] as number;
  const count = bounds.length - 1;
  const perUnit = count / ((bounds[count] as number) - first);
  let [tick, start, end] = [0, 0, 0];
  for (let row = from; row < until; row++) {
    const time = times[row] as number;
    if (time < start || time >= end) {
      tick = ((time - first) * perUnit) | 0;
      while (time < (bounds[tick] as number)) tick--;
      while (time >= (bounds[tick + 1] as number)) tick++;
      start = bounds[tick] as number;
      end = bounds[tick + 1] as number;
    }
    words[row] = (words[row] as number) | (tick << shift);
  }
}

/** Seconds and whether it is a bounce, in the place of durations, as `RowsByPerson.sumsOf` reads them. */
function packSums({ durations, bounceSeconds }: SessionColumns, from: number, until: number): void {
  for (let row = from; row < until; row++) {
    const duration = durations[row] as number;
    const seconds = ((duration >>> 1) / 1000) | 0;
    durations[row] = (seconds << 1) | (seconds < bounceSeconds ? duration & 1 : 0);
  }
}
