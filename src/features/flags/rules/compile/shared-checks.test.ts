import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flagOf } from '../../../../../test/support/flag-definitions.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import type { Check, EvaluationRun } from './check.ts';
import { prepareFlags } from './prepare-flags.ts';
import { newCompileCache, shareCheck } from './shared-checks.ts';

const aRun = (): EvaluationRun => ({
  subject: subjectWith({}),
  cohorts: new Map(),
  slots: new Map(),
  results: [],
  failure: null,
});

const subjectWith = (properties: Record<string, unknown>) => ({
  distinctId: 'ada',
  deviceId: null,
  properties,
  groups: new Map(),
  staticCohorts: new Set<number>(),
  overrides: new Map(),
  now: 0,
});

it('checks once per run what several flags share, and again in the next run', () => {
  const shared = newCompileCache();
  const answers = [true, false];
  let looked = 0;
  const look: Check = () => answers[looked++ % 2] ?? false;
  const [one, other] = [shareCheck(shared, 'same', () => look), shareCheck(shared, 'same', () => look)];
  const [first, second] = [aRun(), aRun()];
  expect([one(first), other(first), one(first)]).toEqual([true, true, true]);
  expect([one(second), other(second)]).toEqual([false, false]);
  expect(looked).toBe(2);
});

const names = fc.constantFrom('plan', 'age', 'toString');
const values = fc.constantFrom<unknown>('pro', 'Pro', 'free', 5, '5', true, null, ['pro', 'x'], '');
const operators = fc.constantFrom(
  'exact',
  'is_not',
  'icontains',
  'starts_with',
  'gt',
  'is_set',
  'is_not_set',
  undefined,
);
const property = fc.record({ key: names, value: values, operator: operators, type: fc.constant('person') });
const subjects = fc.array(fc.dictionary(names, values), { minLength: 1, maxLength: 4 });

it('gives every flag the value that it has alone, for many persons', () => {
  fc.assert(
    fc.property(fc.array(fc.array(property, { maxLength: 3 }), { maxLength: 8 }), subjects, (conditions, people) => {
      const flags = conditions.map((properties, n) =>
        flagOf({ id: n + 1, key: `flag-${n}`, filters: { groups: [{ properties, rollout_percentage: 100 }] } }),
      );
      const prepare = (some: typeof flags) => prepareFlags({ flags: some, cohorts: [], groupTypes: new Map() });
      const together = prepare(flags);
      for (const properties of people) {
        const subject = subjectWith(properties);
        const alone = flags.map((flag) => evaluate(prepare([flag]), subject)[0]);
        expect(evaluate(together, subject)).toEqual(alone);
      }
    }),
  );
});
