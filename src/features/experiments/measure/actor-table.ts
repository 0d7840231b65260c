/**
 * What was measured of each person, kept with their ids: some of them can be measured anew, and all be added up again.
 * Metrics that share a column go on sharing it.
 */
import type { UuidColumn } from '../../../stores/events/event-store.ts';
import type { ActorExposures } from './actor-exposures.ts';
import type { MeasuredActors } from './measured-actors.ts';

type Column = Float64Array | Int32Array | Uint8Array;

/** Spare places for new persons, so that columns are not copied for each of them. */
const SPARE = 1.2;
const MIN_SPARE = 100;

export class ActorTable {
  /** Two words for each person, as the store has them. */
  #ids: BigUint64Array;
  #measured: MeasuredActors;

  /** Takes over the columns. */
  constructor(ids: UuidColumn, measured: MeasuredActors) {
    this.#ids = ids.words.words;
    this.#measured = measured;
    // Somebody without any row at the end.
    this.#setCount(this.#ids.length / 2);
  }

  get measured(): MeasuredActors {
    return this.#measured;
  }

  /** As if these persons had done nothing. */
  without(ids: UuidColumn): MeasuredActors {
    const { exposures, values } = this.#measured;
    const [since, code, several] = [exposures.since.slice(), exposures.code.slice(), exposures.several.slice()];
    for (const place of this.#placesOf(ids.words.words)) {
      if (place === -1) continue;
      since[place] = Number.NaN;
      code[place] = 0;
      several[place] = 0;
    }
    return { exposures: { actors: exposures.actors, since, code, several }, values };
  }

  get bytes(): number {
    const columns = new Set<BigUint64Array | Column>([this.#ids, ...measuredColumns(this.#measured)]);
    return [...columns].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Adds persons who are not there yet. */
  append(ids: UuidColumn, measured: MeasuredActors): void {
    const { actors } = this.#measured.exposures;
    const { words } = ids.words;
    const known = Math.min(measured.exposures.actors, words.length / 2);
    this.#setCount(actors + words.length / 2);
    this.#ids.set(words, 2 * actors);
    const targets = measuredColumns(this.#measured);
    for (const [index, source] of measuredColumns(measured).entries())
      targets[index]?.set(source.subarray(0, known), actors);
  }

  /** Puts what was measured of these persons now in the place of what was known; those who did nothing do not count. */
  replace(ids: UuidColumn, measured: MeasuredActors): void {
    const { words } = ids.words;
    const places = this.#placesOf(words);
    let next = this.#measured.exposures.actors;
    for (let at = 0; at < places.length; at++)
      if (places[at] === -1 && isExposed(measured.exposures, at)) places[at] = next++;
    this.#put(words, measured, places);
  }

  /** -1 for those who are not there. */
  #placesOf(words: BigUint64Array): Int32Array {
    // Words of 64 bits would be an object each.
    const [ids, asked] = [this.#ids, words].map(
      ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, 2 * length),
    ) as [Uint32Array, Uint32Array];
    const wanted = new Map<number, number[]>();
    // Most of those who are there were not asked for: a small table says so faster than a map.
    const mayBeWanted = new Uint8Array(LOW_BITS + 1);
    for (let at = 0; at < asked.length; at += 4) {
      const word = asked[at] as number;
      wanted.set(word, [...(wanted.get(word) ?? []), at]);
      mayBeWanted[word & LOW_BITS] = 1;
    }
    const places = new Int32Array(words.length / 2).fill(-1);
    const isSame = (place: number, at: number): boolean =>
      [1, 2, 3].every((word) => ids[4 * place + word] === asked[at + word]);
    for (let place = 0; place < this.#measured.exposures.actors; place++) {
      const word = ids[4 * place] as number;
      if (mayBeWanted[word & LOW_BITS] === 0) continue;
      for (const at of wanted.get(word) ?? NONE) if (isSame(place, at)) places[at / 4] = place;
    }
    return places;
  }

  /** Those with the place -1 are left out. */
  #put(words: BigUint64Array, measured: MeasuredActors, places: Int32Array): void {
    const { actors } = this.#measured.exposures;
    this.#setCount(places.reduce((most, place) => Math.max(most, place + 1), actors));
    const sources = measuredColumns(measured);
    const targets = measuredColumns(this.#measured);
    for (let at = 0; at < places.length; at++) {
      const place = places[at] as number;
      if (place === -1) continue;
      this.#ids.set(words.subarray(2 * at, 2 * at + 2), 2 * place);
      const isKnown = at < measured.exposures.actors;
      for (const [index, target] of targets.entries()) target[place] = isKnown ? (sources[index]?.[at] as number) : 0;
      if (!isKnown) this.#measured.exposures.since[place] = Number.NaN;
    }
  }

  #setCount(actors: number): void {
    const { exposures, values } = this.#measured;
    const length = exposures.since.length >= actors ? null : Math.ceil(actors * SPARE) + MIN_SPARE;
    const grown = new Map<Column, Column>();
    const grownIfNeeded = <T extends Column>(column: T): T => {
      if (length === null) return column;
      const known = grown.get(column) ?? grow(column, length);
      grown.set(column, known);
      return known as T;
    };
    if (length !== null) this.#ids = grow(this.#ids, 2 * length);
    const before = exposures.actors;
    this.#measured = {
      exposures: {
        actors,
        since: grownIfNeeded(exposures.since),
        code: grownIfNeeded(exposures.code),
        several: grownIfNeeded(exposures.several),
      },
      values: values.map(({ columns, depths, ignored }) => ({
        columns: columns.map(grownIfNeeded),
        depths: depths && grownIfNeeded(depths),
        ignored: ignored.map(grownIfNeeded),
      })),
    };
    if (actors > before) this.#measured.exposures.since.fill(Number.NaN, before, actors);
  }
}

const NONE: readonly number[] = [];

const LOW_BITS = 0xffff;

/** Whether somebody counts, or is left out for having met several variants. */
const isExposed = ({ actors, since, several }: ActorExposures, at: number): boolean =>
  at < actors && (!Number.isNaN(since[at] as number) || several[at] !== 0);

/** Always in the same order; those that metrics share more than once. */
const measuredColumns = ({ exposures, values }: MeasuredActors): Column[] => [
  ...[exposures.since, exposures.code, exposures.several],
  ...values.flatMap(({ columns, depths, ignored }) => [...columns, ...(depths === null ? [] : [depths]), ...ignored]),
];

function grow<T extends Column | BigUint64Array>(column: T, length: number): T {
  const grown = new (column.constructor as new (length: number) => T)(length);
  grown.set(column as never);
  return grown;
}
