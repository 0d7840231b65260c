/**
 * Experience continuity: what a visitor saw before logging in is what they see ever after, in whichever order requests
 * and events arrive. Many visitors live their histories side by side, on the real store, with real merges.
 *
 *   npm run test:histories   # ten thousand of them
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Continuity } from '../../../src/features/flags/decide/continuity.ts';
import { type DecideDeps, decide } from '../../../src/features/flags/decide/decide.ts';
import { requestFor } from '../../../src/features/flags/decide/decide-request.ts';
import { FlagSnapshots } from '../../../src/features/flags/decide/flag-snapshots.ts';
import { RecentDecisions } from '../../../src/features/flags/decide/recent-decisions.ts';
import { everybody, variants } from '../../contract/flag-builders.ts';
import { capture, type SentEvent } from '../../support/capture.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let deps: DecideDeps;
beforeAll(async () => {
  server = await startServer();
  const option = { ensureExperienceContinuity: true };
  await server.addFlag({ key: 'half', filters: everybody(50), ...option });
  await server.addFlag({
    key: 'colour',
    filters: { ...everybody(), multivariate: variants(['red', 34], ['green', 33], ['blue', 33]) },
    ...option,
  });
  const { metadata } = server;
  deps = {
    metadata,
    flagSnapshots: new FlagSnapshots(metadata),
    recentDecisions: new RecentDecisions(),
    continuity: new Continuity(metadata),
    writes: { settled: () => undefined },
    clock: { now: () => 0 },
    onReadError: (error) => {
      throw error;
    },
  };
});
afterAll(() => server.close());

const HISTORIES = Number(process.env['HISTORIES'] ?? 1000);

/** The steps of one visitor. A is their id before the login, D after it, B is another device. */
type Step =
  | 'visit A' // an event, which makes a person
  | 'visit D'
  | 'visit B'
  | 'ask A' // for flags, anonymously
  | 'login A' // for flags, as D, saying who they were before
  | 'login B'
  | 'ask D'
  | 'identify A' // the event that merges them
  | 'identify B';

const maybe = <T>(step: T): fc.Arbitrary<T[]> => fc.constantFrom([], [step]);

/** Requests and events race: any order in which the login comes before all other requests of D. */
const history: fc.Arbitrary<Step[]> = fc
  .tuple(
    maybe<Step>('visit D'),
    maybe<Step>('visit A'),
    fc.constantFrom<Step[]>(['login A', 'identify A'], ['identify A', 'login A']),
    fc.array(fc.constantFrom<Step>('ask D', 'login A', 'visit D', 'visit B', 'login B', 'identify B', 'ask A'), {
      maxLength: 5,
    }),
  )
  .map(([known, visited, login, later]) => [...known, ...visited, 'ask A', ...login, ...later, 'ask D']);

const events: Partial<Record<Step, (n: number) => SentEvent>> = {
  'visit A': (n) => ({ event: 'visited', distinct_id: `A${n}` }),
  'visit D': (n) => ({ event: 'visited', distinct_id: `D${n}` }),
  'visit B': (n) => ({ event: 'visited', distinct_id: `B${n}` }),
  'identify A': (n) => ({ event: '$identify', distinct_id: `D${n}`, properties: { $anon_distinct_id: `A${n}` } }),
  'identify B': (n) => ({ event: '$identify', distinct_id: `D${n}`, properties: { $anon_distinct_id: `B${n}` } }),
};
const questions: Partial<Record<Step, (n: number) => [distinctId: string, anon: string | null]>> = {
  'ask A': (n) => [`A${n}`, null],
  'ask D': (n) => [`D${n}`, null],
  'login A': (n) => [`D${n}`, `A${n}`],
  'login B': (n) => [`D${n}`, `B${n}`],
};

async function valuesFor(step: Step, n: number): Promise<string | null> {
  const question = questions[step]?.(n);
  if (question === undefined) return null;
  const [distinctId, anonDistinctId] = question;
  const { evaluations } = await decide(deps, server.projectId, requestFor(distinctId, { anonDistinctId }));
  return evaluations.map(({ key, value }) => `${key}=${value}`).join(' ');
}

it(`never flips, in ${HISTORIES} histories`, { timeout: 60_000 + 60 * HISTORIES }, async () => {
  const histories = fc.sample(history, { numRuns: HISTORIES, seed: 2026 });
  const first = new Map<number, string>();
  const flips: string[] = [];
  const longest = Math.max(...histories.map((steps) => steps.length));
  for (let i = 0; i < longest; i++) {
    const sent = histories.flatMap((steps, n): SentEvent[] => {
      const event = events[steps[i] as Step]?.(n);
      return event === undefined ? [] : [event];
    });
    if (sent.length > 0) await capture(server, server.projectKey, sent);
    for (const [n, steps] of histories.entries()) {
      const step = steps[i];
      const values = step === undefined ? null : await valuesFor(step, n);
      if (values === null) continue;
      const before = first.get(n) ?? values;
      first.set(n, before);
      if (values !== before) flips.push(`${n}: ${before} became ${values} at step ${i} of ${steps.join(', ')}`);
    }
  }
  expect(flips).toEqual([]);
  expect(first.size).toBe(HISTORIES);
  // All values occur, about as often as they should, so the test does not hold trivially.
  const seen = [...first.values()];
  const share = (part: string) => seen.filter((values) => values.includes(part)).length / HISTORIES;
  for (const [part, expected] of [
    ['half=true', 0.5],
    ['=red', 0.34],
    ['=green', 0.33],
    ['=blue', 0.33],
  ] as const) {
    expect(Math.abs(share(part) - expected)).toBeLessThan(0.05);
  }
});
