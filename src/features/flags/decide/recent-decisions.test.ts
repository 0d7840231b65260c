import { expect, it } from 'vitest';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import { buildSnapshot, type FlagSnapshot } from './flag-snapshots.ts';
import { RecentDecisions } from './recent-decisions.ts';

const aSnapshot = (): FlagSnapshot => buildSnapshot({ flags: [], cohorts: [], groupTypes: new Map() });
const aDecision = (snapshot: FlagSnapshot, values: number) => ({
  evaluations: new Array<FlagEvaluation>(values),
  hasErrors: false,
  snapshot,
});
const inputsOf = (distinctId: string) => ({ distinctId, deviceId: null, person: null, keys: undefined });

it('knows decisions by snapshot and distinct id', () => {
  const recent = new RecentDecisions();
  const [one, two] = [aSnapshot(), aSnapshot()];
  const decision = aDecision(one, 3);
  recent.add(inputsOf('ada'), decision);
  expect(recent.get(one, inputsOf('ada'))).toBe(decision);
  expect(recent.get(one, inputsOf('bob'))).toBeUndefined();
  expect(recent.get(two, inputsOf('ada'))).toBeUndefined();
});

it('forgets what was not asked for while two generations were filled', () => {
  const recent = new RecentDecisions(500);
  const snapshot = aSnapshot();
  const add = (distinctId: string): void => recent.add(inputsOf(distinctId), aDecision(snapshot, 60));
  const isKnown = (distinctId: string): boolean => recent.get(snapshot, inputsOf(distinctId)) !== undefined;
  for (const id of ['used', 'unused']) add(id);
  for (let i = 0; i < 20; i++) {
    add(`other ${i}`);
    expect(isKnown('used')).toBe(true);
  }
  expect(isKnown('unused')).toBe(false);
  expect(isKnown('other 19')).toBe(true);
});
