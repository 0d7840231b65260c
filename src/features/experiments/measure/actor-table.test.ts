import { expect, it } from 'vitest';
import { UuidHalves } from '../../../stores/events/uuid-column.ts';
import { ActorTable } from './actor-table.ts';
import type { MeasuredActors } from './measured-actors.ts';

/** Ids that differ in one half only, as those of one moment may. */
const idsOf = (...numbers: number[]): UuidHalves =>
  new UuidHalves({
    words: BigUint64Array.from(numbers.flatMap((number) => [BigInt(number % 10), BigInt(number)])),
    high: 1,
    mask: 0n,
  });

/** Two metrics with the same column; of each actor when they were exposed, and their value. */
function measured(...actors: [since: number, value: number][]): MeasuredActors {
  const column = Float64Array.from(actors, ([, value]) => value);
  const depths = Uint8Array.from(actors, ([, value]) => value % 4);
  return {
    exposures: {
      actors: actors.length,
      since: Float64Array.from(actors, ([since]) => since),
      code: Int32Array.from(actors, (_, at) => 1 + (at % 2)),
      several: Uint8Array.from(actors, ([since]) => (since === 99 ? 2 : 0)),
    },
    values: [
      { columns: [column], depths: null, ignored: [] },
      { columns: [column], depths, ignored: [column] },
    ],
  };
}

const shown = ({ measured: { exposures, values } }: ActorTable) => {
  const some = <T extends ArrayLike<number>>(column: T | null | undefined): number[] =>
    Array.from(column ?? []).slice(0, exposures.actors);
  return {
    since: some(exposures.since),
    several: some(exposures.several),
    values: values.map(({ columns }) => some(columns[0])),
    depths: some(values[1]?.depths),
  };
};

it('replaces what is known of some, leaves out who did nothing, and adds new ones that were exposed', () => {
  const table = new ActorTable(idsOf(11, 21, 31), measured([5, 1], [6, 2], [7, 3]));
  table.replace(idsOf(31, 41, 51, 11), measured([8, 9], [Number.NaN, 4], [99, 6]));
  expect(shown(table)).toEqual({
    since: [Number.NaN, 6, 8, 99],
    several: [0, 0, 0, 2],
    values: [
      [0, 2, 9, 6],
      [0, 2, 9, 6],
    ],
    depths: [0, 2, 1, 2],
  });
});

it('is shown as if some had done nothing, and stays as it is', () => {
  const table = new ActorTable(idsOf(11, 21, 31), measured([99, 1], [6, 2], [7, 3]));
  const { exposures, values } = table.without(idsOf(31, 11, 77));
  expect(exposures.actors).toBe(3);
  expect([...exposures.since.subarray(0, 3)]).toEqual([Number.NaN, 6, Number.NaN]);
  expect([...exposures.code.subarray(0, 3)]).toEqual([0, 2, 0]);
  expect([...exposures.several.subarray(0, 3)]).toEqual([0, 0, 0]);
  expect(values).toEqual(table.measured.values);
  expect(shown(table).since).toEqual([99, 6, 7]);
  expect(shown(table).several).toEqual([2, 0, 0]);
});

it('grows, and metrics go on sharing a column', () => {
  const table = new ActorTable(idsOf(1), measured([5, 1]));
  for (let round = 0; round < 300; round++) table.append(idsOf(100 + round), measured([round, round]));
  const { exposures, values } = table.measured;
  expect(exposures.actors).toBe(301);
  expect(exposures.since[300]).toBe(299);
  expect(values[1]?.columns[0]).toBe(values[0]?.columns[0]);
  expect(values[1]?.ignored[0]).toBe(values[0]?.columns[0]);
  table.replace(idsOf(150), measured([1000, 7]));
  expect(exposures.since[51]).toBe(1000);
  expect(table.measured.exposures.actors).toBe(301);
});

it('knows persons without any row', () => {
  const table = new ActorTable(idsOf(1, 2, 3), measured([5, 1]));
  expect(shown(table).since).toEqual([5, Number.NaN, Number.NaN]);
  table.replace(idsOf(3), measured([6, 2]));
  expect(shown(table)).toMatchObject({
    since: [5, Number.NaN, 6],
    values: [
      [1, 0, 2],
      [1, 0, 2],
    ],
  });
});
