/** The same flags in four formats. Every evaluator evaluates all of them for each person. */
import type { FlagDefinition } from '../../src/features/flags/rules/flag.ts';
import { flagOf } from '../../test/support/flag-definitions.ts';

export const SCENARIOS = ['rollout', 'property', 'multivariate'] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface FlagPerson {
  id: string;
  properties: { plan: string; email: string; country: string };
}

/** Half of them have the plan that the conditions require. */
export const makePeople = (count: number): FlagPerson[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `person-${String(index).padStart(8, '0')}`,
    properties: { plan: index % 2 === 0 ? 'pro' : 'free', email: `person-${index}@example.com`, country: 'DE' },
  }));

export const flagKeys = (count: number): string[] => Array.from({ length: count }, (_, index) => `bench-flag-${index}`);

const VARIANTS = [
  ['control', 50],
  ['first', 30],
  ['second', 20],
] as const;

/** The format of Cairn and PostHog. */
export function wireFlags(scenario: Scenario, count: number): FlagDefinition[] {
  const properties = scenario === 'property' ? [{ key: 'plan', value: 'pro', operator: 'exact', type: 'person' }] : [];
  const variants = VARIANTS.map(([key, rollout_percentage]) => ({ key, rollout_percentage }));
  const filters = {
    groups: [{ properties, rollout_percentage: 50 }],
    multivariate: scenario === 'multivariate' ? { variants } : null,
    payloads: {},
  };
  return flagKeys(count).map((key, index) => flagOf({ id: index + 1, key, filters }));
}

/** The format of GrowthBook: a forced rule with a coverage, or an experiment. */
export function growthBookFeatures(scenario: Scenario, count: number) {
  const condition = { plan: 'pro' };
  const ruleOf = (key: string) => {
    if (scenario === 'rollout') return { force: true, coverage: 0.5, hashAttribute: 'id', seed: key };
    if (scenario === 'property') return { condition, force: true, coverage: 0.5, hashAttribute: 'id', seed: key };
    const [variations, weights] = [VARIANTS.map(([name]) => name), VARIANTS.map(([, percent]) => percent / 100)];
    return { variations, weights, coverage: 0.5, hashAttribute: 'id', key, hashVersion: 2 };
  };
  return Object.fromEntries(flagKeys(count).map((key) => [key, { defaultValue: false, rules: [ruleOf(key)] }]));
}

/** The format of flagd: one hash decides both rollout and variant. */
export function flagdConfiguration(scenario: Scenario, count: number): string {
  const draw = (parts: readonly (readonly [string, number])[]) => ({
    fractional: [{ cat: [{ var: '$flagd.flagKey' }, { var: 'targetingKey' }] }, ...parts],
  });
  const half = draw([
    ['on', 50],
    ['off', 50],
  ]);
  const targeting = {
    rollout: half,
    property: { if: [{ '==': [{ var: 'plan' }, 'pro'] }, half, 'off'] },
    multivariate: draw([...VARIANTS, ['off', 100]]),
  }[scenario];
  const named = Object.fromEntries([...VARIANTS.map(([name]) => [name, name]), ['off', 'off']]);
  const variants = scenario === 'multivariate' ? named : { on: true, off: false };
  const flag = { state: 'ENABLED', defaultVariant: 'off', variants, targeting };
  return JSON.stringify({ flags: Object.fromEntries(flagKeys(count).map((key) => [key, flag])) });
}
