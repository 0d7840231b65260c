/**
 * Counts rows and different persons by group, over millions of rows, without a hash table.
 *
 * Rows are put into the order of their persons, once for all tables. Then a person is new to a group unless the group's
 * last row was of the same person, and all that a pass over the rows needs in a processor's cache are the groups.
 */
import type { FieldPlace } from './row-layout.ts';

/** How the groups of a table are found by codes. */
export interface CodeGroups {
  /** The group of each code; null where every code is a group. */
  groupOf: Int32Array | null;
  /** No group is as large. */
  size: number;
}

/** The persons that visitors are. */
export interface Persons {
  /** The number of a visitor's person, by the visitor's; `limit` for those who are left out. */
  personOf: Int32Array;
  /** No person is as large. */
  limit: number;
}

/** Sums of the rows before each row, and of all rows. */
interface RunningSums {
  seconds: Float64Array;
  bounces: Int32Array;
}

/** So many rows are gone through before other work of the thread gets its turn. */
const ROWS_PER_TURN = 100_000;

export type Pause = () => Promise<void>;

/** Goes through so many rows, some at a time. */
export async function inTurns(rows: number, pause: Pause, work: (from: number, until: number) => void): Promise<void> {
  for (let from = 0; from < rows; from += ROWS_PER_TURN) {
    if (from > 0) await pause();
    work(from, Math.min(rows, from + ROWS_PER_TURN));
  }
}

/** Numbers by group. */
export interface GroupNumbers {
  visitors: Int32Array;
  rows: Int32Array;
  seconds: Float64Array;
  bounces: Float64Array;
}

const noNumbers = (size: number): GroupNumbers => ({
  visitors: new Int32Array(size),
  rows: new Int32Array(size),
  seconds: new Float64Array(size),
  bounces: new Float64Array(size),
});

/** Sums of numbers by group; those of different persons add up. */
export class GroupCounts {
  #numbers = noNumbers(0);

  get numbers(): GroupNumbers {
    return this.#numbers;
  }

  add(numbers: GroupNumbers): void {
    const size = Math.max(this.#numbers.rows.length, numbers.rows.length);
    const sums = noNumbers(size);
    for (const { visitors, rows, seconds, bounces } of [this.#numbers, numbers]) {
      addTo(sums.visitors, visitors);
      addTo(sums.rows, rows);
      addTo(sums.seconds, seconds);
      addTo(sums.bounces, bounces);
    }
    this.#numbers = sums;
  }
}

function addTo<T extends Int32Array | Float64Array>(sums: T, numbers: T): void {
  for (let at = 0; at < numbers.length; at++) sums[at] = (sums[at] as number) + (numbers[at] as number);
}

/** Rows in the order of their persons. */
export class RowsByPerson {
  /** Everybody who has a row. */
  readonly persons: Int32Array;
  readonly #words: readonly Int32Array[];
  /** Where the rows of each person end. */
  readonly #ends: Int32Array;
  readonly #turns: readonly Turn[];
  readonly #pause: Pause;

  private constructor(persons: Int32Array, ends: Int32Array, words: readonly Int32Array[], pause: Pause) {
    this.persons = persons;
    this.#ends = ends;
    this.#words = words;
    this.#turns = turnsOf(ends);
    this.#pause = pause;
  }

  /** `visitors`: of the rows whose `words` these are. All are overwritten, and `spare`, which is as long. */
  static async inOrder(
    visitors: Int32Array,
    words: readonly Int32Array[],
    spare: Int32Array,
    persons: Persons,
    pause: Pause,
  ): Promise<RowsByPerson> {
    const count = visitors.length;
    /** How many rows a visitor has, and then where the next one goes. */
    const next = new Int32Array(persons.personOf.length);
    await inTurns(count, pause, (from, until) => countVisitors(visitors, next, from, until));
    const { found, ends } = placesOf(next, persons);
    const ordered: Int32Array[] = [];
    let free = spare;
    for (const word of words) {
      const own = free;
      const move = ordered.length === 0 ? placeRows : moveWords;
      await inTurns(count, pause, (from, until) => move(word, own, visitors, next, from, until));
      ordered.push(own);
      free = word;
    }
    return new RowsByPerson(found, ends, ordered, pause);
  }

  /** Fills in a number that depends on the person alone. */
  fill({ word, shift }: FieldPlace, codeOf: Uint8Array): void {
    const words = this.#wordsAt(word);
    let row = 0;
    this.persons.forEach((person, index) => {
      const bits = (codeOf[person] as number) << shift;
      for (const end = this.#ends[index] as number; row < end; row++) words[row] = (words[row] as number) | bits;
    });
  }

  /** The sums of a word with twice the seconds of a session, and 1 more if it is a bounce. */
  sumsOf(word: number): RunningSums {
    return runningSums(this.#wordsAt(word));
  }

  /** Counts rows and persons by group; of sessions also seconds and bounces. */
  async count(place: FieldPlace, { groupOf, size }: CodeGroups, sums: RunningSums | null): Promise<GroupNumbers> {
    const groups = groupOf ?? Int32Array.from({ length: place.mask + 1 }, (_, code) => code);
    const numbers = noNumbers(size);
    /** Who had the last row of each group. */
    const last = new Int32Array(size).fill(-1);
    const codes = this.#fieldAt(place);
    for (const turn of this.#turns) {
      if (turn.from > 0) await this.#pause();
      if (sums === null) countRows(codes, groups, this.#ends, turn, numbers, last);
      else countSummedRows(codes, groups, this.#ends, turn, numbers, last, sums);
    }
    return numbers;
  }

  #wordsAt(word: number): Int32Array {
    return this.#words[word] as Int32Array;
  }

  #fieldAt({ word, shift, mask }: FieldPlace): FieldWords {
    const [words, bits] = [this.#wordsAt(word), mask << shift];
    return { words, bits, shift, isSteady: isSteady(words, bits) };
  }
}

/** A number of each row, in words. */
interface FieldWords {
  words: Int32Array;
  bits: number;
  shift: number;
  /** Whether rows that follow each other mostly have the same: then it pays to count them together. */
  isSteady: boolean;
}

const SAMPLED_ROWS = 10_000;

function isSteady(words: Int32Array, bits: number): boolean {
  const rows = Math.min(words.length, SAMPLED_ROWS);
  let same = 0;
  for (let row = 1; row < rows; row++) {
    if ((((words[row] as number) ^ (words[row - 1] as number)) & bits) === 0) same++;
  }
  return 2 * same > rows;
}

// Loops over rows are functions of their own: V8 would otherwise optimise them for one set of arrays, again and again.

function countVisitors(visitors: Int32Array, counts: Int32Array, from: number, until: number): void {
  for (let row = from; row < until; row++) {
    const visitor = visitors[row] as number;
    counts[visitor] = (counts[visitor] as number) + 1;
  }
}

/** Everybody who has rows, and where those end. In the place of how many rows a visitor has it puts where they begin. */
function placesOf(rows: Int32Array, { personOf, limit }: Persons): { found: Int32Array; ends: Int32Array } {
  const next = new Int32Array(limit + 1);
  for (let visitor = 0; visitor < rows.length; visitor++) {
    const person = personOf[visitor] as number;
    next[person] = (next[person] as number) + (rows[visitor] as number);
  }
  let [count, end] = [0, 0];
  const [found, ends] = [new Int32Array(limit), new Int32Array(limit)];
  // Those who are left out come last, and are not read.
  for (let person = 0; person <= limit; person++) {
    const own = next[person] as number;
    next[person] = end;
    end += own;
    if (own === 0 || person === limit) continue;
    found[count] = person;
    ends[count++] = end;
  }
  for (let visitor = 0; visitor < rows.length; visitor++) {
    const person = personOf[visitor] as number;
    const place = next[person] as number;
    next[person] = place + (rows[visitor] as number);
    rows[visitor] = place;
  }
  return { found: found.slice(0, count), ends: ends.slice(0, count) };
}

/** Moves words to the places of their rows, which it puts where the visitors were. */
function placeRows(
  words: Int32Array,
  ordered: Int32Array,
  visitors: Int32Array,
  next: Int32Array,
  from: number,
  until: number,
): void {
  for (let row = from; row < until; row++) {
    const visitor = visitors[row] as number;
    const place = next[visitor] as number;
    next[visitor] = place + 1;
    visitors[row] = place;
    ordered[place] = words[row] as number;
  }
}

/** Moves the next words to these places. */
function moveWords(
  words: Int32Array,
  ordered: Int32Array,
  places: Int32Array,
  _next: Int32Array,
  from: number,
  until: number,
): void {
  for (let row = from; row < until; row++) ordered[places[row] as number] = words[row] as number;
}

/** Some rows, which begin with those of a person, by index, or within them. */
interface Turn {
  person: number;
  from: number;
  until: number;
}

function turnsOf(ends: Int32Array): Turn[] {
  const turns: Turn[] = [];
  const rows = ends.at(-1) ?? 0;
  for (let from = 0, person = 0; from < rows; from += ROWS_PER_TURN) {
    while ((ends[person] as number) <= from) person++;
    turns.push({ person, from, until: Math.min(rows, from + ROWS_PER_TURN) });
  }
  return turns;
}

function countRows(
  { words, bits, shift, isSteady }: FieldWords,
  groups: Int32Array,
  ends: Int32Array,
  { person: first, from, until }: Turn,
  { rows, visitors }: GroupNumbers,
  last: Int32Array,
): void {
  let at = from;
  for (let person = first; at < until; person++) {
    const end = Math.min(ends[person] as number, until);
    while (at < end) {
      const start = at;
      const code = (words[at++] as number) & bits;
      while (isSteady && at < end && ((words[at] as number) & bits) === code) at++;
      const group = groups[code >>> shift] as number;
      rows[group] = (rows[group] as number) + at - start;
      if (last[group] === person) continue;
      last[group] = person;
      visitors[group] = (visitors[group] as number) + 1;
    }
  }
}

function countSummedRows(
  { words, bits, shift, isSteady }: FieldWords,
  groups: Int32Array,
  ends: Int32Array,
  { person: first, from, until }: Turn,
  { rows, visitors, seconds, bounces }: GroupNumbers,
  last: Int32Array,
  sums: RunningSums,
): void {
  const { seconds: sumsOfSeconds, bounces: sumsOfBounces } = sums;
  let at = from;
  for (let person = first; at < until; person++) {
    const end = Math.min(ends[person] as number, until);
    while (at < end) {
      const start = at;
      const code = (words[at++] as number) & bits;
      while (isSteady && at < end && ((words[at] as number) & bits) === code) at++;
      const group = groups[code >>> shift] as number;
      rows[group] = (rows[group] as number) + at - start;
      seconds[group] = (seconds[group] as number) + (sumsOfSeconds[at] as number) - (sumsOfSeconds[start] as number);
      bounces[group] = (bounces[group] as number) + (sumsOfBounces[at] as number) - (sumsOfBounces[start] as number);
      if (last[group] === person) continue;
      last[group] = person;
      visitors[group] = (visitors[group] as number) + 1;
    }
  }
}

function runningSums(words: Int32Array): RunningSums {
  const sums = { seconds: new Float64Array(words.length + 1), bounces: new Int32Array(words.length + 1) };
  let [seconds, bounces] = [0, 0];
  for (let row = 0; row < words.length; row++) {
    const word = words[row] as number;
    seconds += word >>> 1;
    bounces += word & 1;
    sums.seconds[row + 1] = seconds;
    sums.bounces[row + 1] = bounces;
  }
  return sums;
}
