/** The measurements of `bench/evaluate.ts`, also used by `bench/decide.ts`. */

import type { Decision } from '../../src/features/flags/decide/decision.ts';
import { prepareFlags } from '../../src/features/flags/rules/compile/prepare-flags.ts';
import { evaluate } from '../../src/features/flags/rules/evaluate/evaluate.ts';
import type { FlagDefinition } from '../../src/features/flags/rules/flag.ts';
import { FlagUsage } from '../../src/features/flags/usage/flag-usage.ts';
import { usageSource } from '../../src/features/flags/usage/usage-source.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import { type Batch, bareSha1, cairn, flagd, growthBook, postHogNode } from './evaluators.ts';
import { makePeople, type Scenario, wireFlags } from './flag-scenarios.ts';
import { type Contender, cpuMsSince, median, race } from './race.ts';

interface RateOptions {
  flags: number;
  people: number;
  rounds: number;
}

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Flag evaluations per second of every evaluator, and Cairn's rate relative to the others. */
export async function compareEvaluators(scenario: Scenario, { flags, people, rounds }: RateOptions) {
  const batch: Batch = { scenario, flags, people: makePeople(people) };
  const local = await postHogNode(batch);
  const contenders = [cairn(batch), bareSha1(batch), growthBook(batch), flagd(batch), local];
  for (const contender of contenders) if (contender.name !== 'bareSha1') await checkShare(contender, batch);
  const times = await race(contenders, { rounds, warmUp: Math.max(3, rounds >> 2) });
  await local.stop();
  const timeOf = (name: string): number => times.get(name) ?? Number.NaN;
  const rate = (name: string): number => round((flags * people * 1000) / timeOf(name), 0);
  const timesAsFastAs = (name: string): number => round(timeOf(name) / timeOf('cairn'));
  return {
    evaluationsPerSecond: Object.fromEntries(
      contenders.filter(({ name }) => name !== 'bareSha1').map(({ name }) => [name, rate(name)]),
    ),
    cairnTimesAsFastAs: {
      bareSha1OfTheHashesNeeded: timesAsFastAs('bareSha1'),
      growthBook: timesAsFastAs('growthBook'),
      flagd: timesAsFastAs('flagd'),
      postHogNode: timesAsFastAs('postHogNode'),
    },
  };
}

/** Checks that an evaluator does the same work: the share of enabled flags must match the rollout. */
async function checkShare({ name, run }: Contender, { scenario, flags, people }: Batch): Promise<void> {
  const share = Number(await run()) / (flags * people.length);
  const expected = scenario === 'property' ? 0.25 : 0.5;
  if (!(Math.abs(share - expected) < 0.05)) throw new Error(`${name}: ${share} of ${scenario} are on, not ${expected}`);
}

/** Whether the time per flag stays the same when there are many. */
export async function measureLinearity(counts: readonly number[], evaluations: number, rounds: number) {
  const contenders = counts.map((flags) => ({
    ...cairn({ scenario: 'property', flags, people: makePeople(Math.ceil(evaluations / flags)) }),
    name: String(flags),
  }));
  const times = await race(contenders, { rounds, warmUp: Math.max(3, rounds >> 2) });
  const nanosecondsPerFlag = counts.map((flags) => {
    const done = flags * Math.ceil(evaluations / flags);
    return [`${flags} flags`, round(((times.get(String(flags)) ?? Number.NaN) * 1e6) / done, 0)];
  });
  return Object.fromEntries(nanosecondsPerFlag) as Record<string, number>;
}

/** How long it takes to compile a changed flag among `flags` others, ms. */
export function measurePreparation(flags: number, rounds: number) {
  const times: Record<'fromNothing' | 'afterOneChange', number[]> = { fromNothing: [], afterOneChange: [] };
  const timed = <T>(list: number[], work: () => T): T => {
    const before = process.cpuUsage();
    const result = work();
    list.push(cpuMsSince(before));
    return result;
  };
  for (let i = 0; i < rounds; i++) {
    const definitions = { flags: wireFlags('property', flags), cohorts: [], groupTypes: new Map() };
    const prepared = timed(times.fromNothing, () => prepareFlags(definitions));
    const [first, ...rest] = wireFlags('property', flags);
    // As after reading from a database: no object is the same as before.
    const texts = JSON.stringify(first ? [{ ...first, filters: { groups: [] } }, ...rest] : []);
    const flagsNow = JSON.parse(texts) as FlagDefinition[];
    const again = timed(times.afterOneChange, () => prepareFlags({ ...definitions, flags: flagsNow }, prepared));
    if (evaluate(again, makeSubject()).length !== flags) throw new Error('Not every flag was compiled');
  }
  return { fromNothingMs: round(median(times.fromNothing)), afterOneChangeMs: round(median(times.afterOneChange)) };
}

/** What counting the usage of flags costs beside evaluating them, for persons who were not asked about before. */
export function measureCounting(flags: number, people: number, rounds: number) {
  const prepared = prepareFlags({ flags: wireFlags('rollout', flags), cohorts: [], groupTypes: new Map() });
  const log = openLog('silent');
  const times: Record<'evaluate' | 'countNew' | 'countAgain', number[]> = {
    evaluate: [],
    countNew: [],
    countAgain: [],
  };
  const timed = <T>(list: number[], work: () => T): T => {
    const before = process.cpuUsage();
    const result = work();
    list.push((1000 * cpuMsSince(before)) / people);
    return result;
  };
  for (let i = 0; i < rounds; i++) {
    const usage = new FlagUsage({ metadata: NO_STORE, clock: { now: () => i * 60_000 }, ids: randomIds, log });
    const decisions = timed(times.evaluate, () =>
      Array.from({ length: people }, (_, index) => {
        const evaluations = evaluate(prepared, { ...makeSubject(), distinctId: `person-${i}-${index}` });
        return { evaluations, hasErrors: false } as unknown as Decision;
      }),
    );
    timed(times.countNew, () => {
      for (const decision of decisions) usage.record(1, decision, usageSource('posthog-node/5.67.1', null));
    });
    const [one] = decisions;
    timed(times.countAgain, () => {
      for (let n = 0; n < people; n++) if (one) usage.record(1, one, usageSource('posthog-node/5.67.1', null));
    });
  }
  const microseconds = (list: number[]): number => Math.round(100 * median(list)) / 100;
  return {
    flags,
    evaluateMicros: microseconds(times.evaluate),
    countNewDecisionMicros: microseconds(times.countNew),
    countRepeatedDecisionMicros: microseconds(times.countAgain),
  };
}

const NO_STORE = { transaction: () => Promise.reject(new Error('Nothing is written here')) };

const makeSubject = () => ({
  distinctId: 'somebody',
  deviceId: null,
  properties: {},
  groups: new Map(),
  staticCohorts: new Set<number>(),
  overrides: new Map(),
  now: 0,
});
