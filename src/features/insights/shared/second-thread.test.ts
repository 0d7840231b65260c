import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRows } from '../../../../test/support/some-rows.ts';
import { FunnelAssembly } from '../funnel/rules/assemble-funnel.ts';
import { readFunnelQuestion } from '../funnel/rules/read-funnel.ts';
import type { PathKeys } from '../paths/count-paths.ts';
import { readPathsQuestion } from '../paths/rules/read-paths.ts';
import { StepTable } from '../paths/step-counter.ts';
import type { SequenceMethods } from '../sequence-methods.ts';
import { sequenceMethods } from '../sequence-methods.ts';
import { type ActorPart, ALL_ACTORS, HALVES } from './actor-rows.ts';
import { inHalves } from './second-thread.ts';
import { shareRows } from './share-rows.ts';

const CONTEXT = { now: Date.UTC(2024, 0, 20), timezone: 'UTC' };
const BASE = 4;

type Rows = readonly { actor: number; at: number }[];

/** An event each minute at most, of one of four steps or items. */
const keysOf = (rows: Rows): PathKeys => ({
  actor: Int32Array.from(rows, ({ actor }) => actor),
  key: Float64Array.from(rows, ({ at }) => Math.floor(at / BASE) * 60_000 * BASE + (at % BASE)),
  uuids: { words: BigUint64Array.from(rows.flatMap((_, row) => [BigInt(row), 0n])), high: 0, mask: 0n },
  encoding: { base: BASE, from: Date.UTC(2024, 0, 1) },
  items: BASE,
});

const funnel = readFunnelQuestion({ events: [{ id: 'a' }, { id: 'b', order: 1 }], date_from: '-30d' }, CONTEXT);
const paths = readPathsQuestion({ date_from: '-30d' }, CONTEXT);

describe('the two halves of the actors', () => {
  it('make the same funnel as all of them', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const answerOf = async (parts: readonly ActorPart[]) => {
          const assembly = new FunnelAssembly(funnel);
          for (const part of parts) assembly.addCounts(await sequenceMethods.countFunnel(funnel, keysOf(rows), part));
          const answer = assembly.answer();
          return answer.view === 'steps' ? answer.groups[0]?.steps : [];
        };
        const [all, halves] = [await answerOf([ALL_ACTORS]), await answerOf(HALVES)];
        expect(halves).toEqual(
          all?.map((step) => ({
            ...step,
            averageTime: step.averageTime && expect.closeTo(step.averageTime, 6),
          })),
        );
      }),
    );
  });

  it('make the same paths as all of them', async () => {
    await fc.assert(
      fc.asyncProperty(someRows, async (rows) => {
        const stepsOf = async (parts: readonly ActorPart[]) => {
          const table = new StepTable(BASE, paths.stepLimit);
          for (const part of parts) {
            const shared = part === ALL_ACTORS ? keysOf(rows) : await shareRows(keysOf(rows), part);
            table.add(await sequenceMethods.countPaths(paths, shared, part));
          }
          return table.steps();
        };
        expect(await stepsOf(HALVES)).toEqual(await stepsOf([ALL_ACTORS]));
      }),
    );
  });
});

describe('counting in halves', () => {
  const second: SequenceMethods = { ...sequenceMethods };
  const rowsOf = (count: number) => ({ actor: new Int32Array(count), key: new Float64Array(count) });
  const count = async (methods: SequenceMethods, _: unknown, part: ActorPart) =>
    `${methods === second ? 'there' : 'here'} ${part.bits} ${part.value}`;

  it.each([
    ['few rows', 199_999, () => second, ['here 0 0']],
    ['many rows', 200_000, () => second, ['here 1 0', 'there 1 1']],
    ['a single processor', 200_000, () => undefined, ['here 0 0']],
  ])('with %s', async (_, rows, secondThread, expected) => {
    expect(await inHalves({ secondThread }, rowsOf(rows), count)).toEqual(expected);
  });

  it('goes on alone if the other thread ends', async () => {
    const failing = async (methods: SequenceMethods, rows: unknown, part: ActorPart) => {
      if (methods === second) throw new Error('it has ended');
      return count(methods, rows, part);
    };
    expect(await inHalves({ secondThread: () => second }, rowsOf(200_000), failing)).toEqual(['here 1 0', 'here 1 1']);
  });

  it('fails if both fail', async () => {
    const failing = () => Promise.reject(new Error('too many'));
    await expect(inHalves({ secondThread: () => second }, rowsOf(200_000), failing)).rejects.toThrow('too many');
  });
});
