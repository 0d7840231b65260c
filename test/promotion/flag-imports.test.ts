/** Flags of other products have the values here that their own SDKs give, for generated flags and users. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GrowthBookClient } from '@growthbook/growthbook';
import { init, integrations } from '@launchdarkly/node-server-sdk';
import { FlagdCore } from '@openfeature/flagd-core';
import fc from 'fast-check';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { prepareFlags } from '../../src/features/flags/rules/compile/prepare-flags.ts';
import { evaluate } from '../../src/features/flags/rules/evaluate/evaluate.ts';
import type { FlagEvaluation } from '../../src/features/flags/rules/flag-evaluation.ts';
import { validateFilters } from '../../src/features/flags/rules/validate/validate-filters.ts';
import {
  evaluateFor,
  makeEdgeUsers,
  prepareConverted,
} from '../../src/features/promotion/rules/import/compare-users.ts';
import { type ConvertedFlag, convertFlags } from '../../src/features/promotion/rules/import/import-flags.ts';
import type { ImportSource } from '../../src/features/promotion/rules/import/import-source.ts';
import type { PortableFlag } from '../../src/features/promotion/rules/portable-flag.ts';
import { namesToIds } from '../../src/features/promotion/rules/references.ts';

type Attributes = {
  plan?: string;
  country?: string;
  age?: number;
  beta?: boolean;
  version?: string;
  joined?: string;
  company?: string;
};
interface User {
  id: string;
  attributes: Attributes;
}
/** More of both: `IMPORT_FLAGS=200 IMPORT_USERS=1000 npx vitest run test/promotion/flag-imports.test.ts`. */
const USERS = Number(process.env['IMPORT_USERS'] ?? 10_000);
const WORDS = ['pro', 'Pro', 'team', 'a.b', 'pro team', 'x+y', 'de', 'DE'];
const word = fc.constantFrom(...WORDS);
const age = fc.constantFrom(0, 17, 18, 19, 65, 17.5, -1);
const version = fc.constantFrom('1.2.3', '1.2.3-beta.1', '1.10.0', '2.0.0', '1.2', 'v1.2.3');
const date = fc.constantFrom('2026-01-01T00:00:00Z', '2025-12-31T23:59:59.999Z', '2026-06-01T12:00:00+02:00');
const NOW = Date.UTC(2026, 6, 1);

const user = fc.record({
  id: fc.oneof(
    fc.integer({ min: 0, max: 99_999 }).map((n) => `user-${n}`),
    fc.constantFrom('ada', 'grace', 'Ada'),
  ),
  attributes: fc.record(
    {
      plan: word,
      country: word,
      age,
      beta: fc.boolean(),
      version,
      joined: date,
      company: fc.constantFrom('acme', 'Ä', 'x'),
    },
    { requiredKeys: [] },
  ),
}) as fc.Arbitrary<User>;
const users = fc.sample(user, { numRuns: USERS, seed: 7 });

/** Our evaluation of all flags of an import, for each of the users. */
function ourResults(flags: readonly PortableFlag[]): Map<string, FlagEvaluation>[] {
  const none = new Map<string, number[]>();
  const ids = {
    flag: new Map(flags.map(({ key }, at) => [key, [at + 1]])),
    cohort: none,
    action: none,
    group_type: none,
  };
  const definitions = flags.map((flag, at) => {
    const filters = namesToIds(flag.filters, ids).value;
    validateFilters(filters);
    return {
      id: at + 1,
      key: flag.key,
      active: flag.active,
      version: 1,
      filters,
      ensureExperienceContinuity: false,
      evaluationRuntime: 'all' as const,
      bucketingIdentifier: 'distinct_id' as const,
    };
  });
  const prepared = prepareFlags({ flags: definitions, cohorts: [], groupTypes: new Map() });
  return users.map(({ id, attributes }) => {
    const results = evaluate(prepared, {
      distinctId: id,
      deviceId: null,
      properties: attributes,
      groups: new Map(),
      staticCohorts: new Set(),
      overrides: new Map(),
      now: NOW,
    });
    return new Map(results.map((one) => [one.key, one]));
  });
}

/** The flag's value, or the payload of variants that stand for other values. */
const shownValue = (flag: PortableFlag, result: FlagEvaluation | undefined): unknown =>
  flag.filters['payloads'] === undefined ? result?.value : result?.payload;

async function expectEqualValues(
  converted: readonly ConvertedFlag[],
  theirs: (key: string, user: User) => unknown,
  ours: (flag: PortableFlag, result: FlagEvaluation | undefined) => unknown = shownValue,
) {
  const seen = new Set<unknown>();
  const flags = converted.map(({ flag }) => flag);
  const results = ourResults(flags);
  for (const flag of flags) {
    for (const [at, one] of users.entries()) {
      const expected = await theirs(flag.key, one);
      seen.add(JSON.stringify(expected));
      const result = results[at]?.get(flag.key);
      const actual = ours(flag, result);
      if (result?.failure !== null || JSON.stringify(actual) !== JSON.stringify(expected)) {
        expect.fail(
          `${flag.key} ${JSON.stringify(flag.filters)} for ${JSON.stringify(one)}: ours ${JSON.stringify(actual)} (${result?.failure}), theirs ${JSON.stringify(expected)}`,
        );
      }
    }
  }
  await expectEqualAtEdges(converted, theirs, ours);
  expect(seen.size).toBeGreaterThan(1);
}

const EDGE_USERS = 500;

/** For users with values at the edges of the flag's own conditions. */
async function expectEqualAtEdges(
  converted: readonly ConvertedFlag[],
  theirs: (key: string, user: User) => unknown,
  ours: (flag: PortableFlag, result: FlagEvaluation | undefined) => unknown,
) {
  const flags = converted.map(({ flag }) => flag);
  const prepared = prepareConverted(flags);
  for (const { flag, dependsOn } of converted) {
    const related = flags.filter(({ key }) => key === flag.key || dependsOn.includes(key));
    for (const user of makeEdgeUsers(related, EDGE_USERS)) {
      const expected = await theirs(flag.key, { id: user.distinctId, attributes: user.properties });
      const actual = ours(flag, evaluateFor(prepared, flag.key, user, NOW));
      if (JSON.stringify(actual) === JSON.stringify(expected)) continue;
      expect([flag.key, user, actual]).toEqual([flag.key, user, expected]);
    }
  }
}

/** Reports what was converted, so that a generator that makes nothing convertible is noticed. */
function convert(source: ImportSource, data: unknown, environment: string, atLeast: number): ConvertedFlag[] {
  const { converted, notImported } = convertFlags(source, data as JsonObject, environment, NOW);
  const kept = converted.filter(({ percentages }) => percentages !== null).length;
  const why = notImported.reduce((counts, one) => {
    const reason = one.why.replace(/"[^"]*"/g, '…');
    return counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }, new Map<string, number>());
  if (process.env['IMPORT_FLAGS'])
    console.log(`${source}: ${converted.length} of ${FLAGS} converted, ${kept} keep their people; left out:`, [...why]);
  expect(converted.length + notImported.length).toBe(FLAGS);
  expect(converted.length / FLAGS).toBeGreaterThan(atLeast);
  expect(kept / FLAGS).toBeGreaterThan(0.2);
  return converted;
}

const FLAGS = Number(process.env['IMPORT_FLAGS'] ?? 24);
const sample = <T>(flag: fc.Arbitrary<T>, seed: number): T[] => fc.sample(flag, { numRuns: FLAGS, seed });

describe('Unleash', () => {
  const text = fc.record({
    contextName: fc.constantFrom('plan', 'country', 'userId'),
    operator: fc.constantFrom('IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'),
    values: fc.array(fc.oneof(word, fc.constantFrom('ada', 'user-1')), { maxLength: 3 }),
    inverted: fc.boolean(),
    caseInsensitive: fc.boolean(),
  });
  const one = (contextName: string, operators: string[], value: fc.Arbitrary<string>) =>
    fc.record({
      contextName: fc.constant(contextName),
      operator: fc.constantFrom(...operators),
      values: fc.constant([] as string[]),
      value,
      inverted: fc.constantFrom(false, false, true),
    });
  const constraint = fc.oneof(
    text,
    one('age', ['NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE', 'NUM_EQ'], age.map(String)),
    one('version', ['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT', 'SEMVER_GTE', 'SEMVER_LTE'], version),
    one('plan', ['REGEX'], fc.constantFrom('^p', 'o.*m', '[A-Z]')),
    one('currentTime', ['DATE_AFTER', 'DATE_BEFORE'], fc.constantFrom('2020-01-01T00:00:00Z')),
  );
  const payload = fc.constantFrom(undefined, { type: 'string', value: 'x' }, { type: 'json', value: '{"a":1}' });
  const variants = fc
    .array(fc.record({ weight: fc.constantFrom(0, 300, 500, 200), payload }), { minLength: 1, maxLength: 3 })
    .map((given) => given.map((variant, at) => ({ ...variant, name: `v${at}`, stickiness: 'default' })));
  const strategy = fc.record({
    name: fc.constantFrom('default', 'flexibleRollout', 'flexibleRollout', 'userWithId', 'gradualRolloutUserId'),
    constraints: fc.array(constraint, { maxLength: 2 }),
    parameters: fc.record({
      rollout: fc.constantFrom('100', '0', '30', '50', '99'),
      percentage: fc.constantFrom('10', '60'),
      stickiness: fc.constantFrom('default', 'userId', 'company'),
      groupId: fc.constantFrom('g', 'group 2', ''),
      userIds: fc.constant('ada, user-5'),
    }),
    segments: fc.constantFrom([], [], [1]),
  });
  const withVariants = fc.tuple(strategy, variants).map(([given, some]) => ({ ...given, variants: some }));
  const overrides = [{ contextName: 'userId', values: ['ada', 'user-1'] }];
  const feature = fc.record({
    enabled: fc.constantFrom(true, true, true, true, false),
    strategies: fc
      .boolean()
      .chain((some) => fc.array(some ? fc.oneof(strategy, withVariants) : strategy, { maxLength: 3 })),
    variants: fc.oneof(
      fc.constant([]),
      fc.constant([]),
      variants.map((some) => some.map((variant) => ({ ...variant, payload: undefined, name: `f${variant.name}` }))),
      variants.map((some) =>
        some.map((variant, at) => ({ ...variant, name: `o${at}`, ...(at === 0 ? { overrides } : {}) })),
      ),
    ),
    parent: fc.constantFrom(null, null, 'enabled', 'disabled', 'v0'),
  });
  const segments = [
    {
      id: 1,
      name: 'S',
      constraints: [{ contextName: 'plan', operator: 'IN', values: ['pro', 'team'], inverted: false }],
    },
  ];
  const environment = 'production';

  it('gives the same values, variants and payloads to the same people', { timeout: 300_000 }, async () => {
    const made = sample(feature, 11).map((given, at) => ({ ...given, name: `u${at}` }));
    // Of one level: features at even places depend on nothing.
    const dependenciesOf = ({ parent }: (typeof made)[number], at: number): JsonObject[] => {
      if (parent === null || at % 2 === 0) return [];
      const on = { feature: `u${at - 1}`, enabled: parent !== 'disabled' };
      return [parent === 'v0' ? { ...on, variants: ['v0', 'fv0'] } : on];
    };
    const data = {
      features: made.map(({ name, variants: some }) => ({ name, description: '', variants: some })),
      featureEnvironments: made.map(({ name, enabled }) => ({ featureName: name, environment, enabled })),
      featureStrategies: made.flatMap(({ name, strategies }) =>
        strategies.map((given) => ({ ...given, strategyName: given.name, featureName: name, environment })),
      ),
      segments,
      dependencies: made.flatMap((given, at) => {
        const dependencies = dependenciesOf(given, at);
        return dependencies.length === 0 ? [] : [{ feature: given.name, dependencies }];
      }),
    };
    const converted = convert('unleash', data, environment, 0.8);
    const unleash = new Unleash({
      url: 'http://127.0.0.1:9/',
      appName: 'test',
      disableMetrics: true,
      refreshInterval: 0,
      storageProvider: new InMemStorageProvider(),
      bootstrap: {
        data: made.map((given, at) => ({
          ...given,
          type: 'release',
          stale: false,
          impressionData: false,
          dependencies: dependenciesOf(given, at),
        })) as never,
        segments: segments as never,
      },
    });
    unleash.on('error', () => undefined);
    unleash.on('warn', () => undefined);
    await new Promise<void>((resolve) => unleash.once('ready', () => resolve()));
    const theirs = (key: string, { id, attributes }: User): unknown => {
      const properties = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
      const context = { userId: id, properties, currentTime: new Date(NOW) };
      const variant = unleash.getVariant(key, context);
      if (!variant.enabled) return [unleash.isEnabled(key, context), null];
      const { type, value = null } = (variant.payload ?? {}) as { type?: string; value?: string };
      return [variant.name, type === 'json' ? JSON.parse(String(value)) : value];
    };
    await expectEqualValues(converted, theirs, (_flag, result) => [result?.value, result?.payload ?? null]);
    unleash.destroy();
  });

  it.each<[string, object, string]>([
    ['a strategy of its own', { name: 'byMoon' }, "strategy 'byMoon'"],
    [
      'a random percentage',
      { name: 'flexibleRollout', parameters: { rollout: '10', stickiness: 'random' } },
      'its percentage is random on each call',
    ],
    [
      'variants by a field that some have not',
      {
        name: 'default',
        variants: [
          { name: 'a', weight: 1, stickiness: 'company' },
          { name: 'b', weight: 1 },
        ],
      },
      "its variants are random for those without 'company'",
    ],
    [
      'a time that is to come',
      { name: 'default', constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2099-01-01' }] },
      'a constraint on currentTime: schedule the change for 2099-01-01 instead',
    ],
    [
      'an address',
      { name: 'default', constraints: [{ contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8'] }] },
      'a constraint on remoteAddress',
    ],
  ])('lists what it cannot have here, with the reason: %s', (_name, strategy, why) => {
    const of = { featureName: 'a', environment: 'production' };
    const data = {
      features: [{ name: 'a' }],
      featureEnvironments: [{ ...of, enabled: true }],
      featureStrategies: [{ ...of, ...strategy }],
    } as unknown as JsonObject;
    expect(convertFlags('unleash', data, 'production', NOW).notImported).toEqual([{ key: 'a', why }]);
    const elsewhere = convertFlags('unleash', data, 'staging', NOW).notImported;
    expect(elsewhere).toEqual([{ key: 'a', why: 'it has no environment "staging"' }]);
  });
});

describe('GrowthBook', () => {
  const leaf = fc.oneof(
    fc.record({ plan: word }),
    fc.record({ country: fc.record({ $in: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ plan: fc.record({ $nin: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ plan: fc.record({ $ini: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ plan: fc.record({ $ne: word }) }),
    fc.record({ age: fc.record({ $gte: age }) }),
    fc.record({ age: fc.record({ $gt: age, $lte: age }) }),
    fc.record({ age: fc.record({ $not: fc.record({ $gt: age }) }) }),
    fc.record({ age: fc.record({ $ne: age }) }),
    fc.record({ age }),
    fc.record({ beta: fc.boolean() }),
    fc.record({ id: fc.constantFrom('ada', 'grace') }),
    fc.record({ id: fc.record({ $inGroup: fc.constantFrom('people', 'nobody') }) }),
    fc.record({ country: fc.record({ $notInGroup: fc.constant('places') }) }),
    fc.record({ country: fc.record({ $exists: fc.boolean() }) }),
    fc.record({ plan: fc.record({ $regex: fc.constantFrom('^p', 'o.*m', '[A-Z]') }) }),
    fc.record({ $savedGroup: fc.record({ id: fc.constantFrom('list', 'adults', 'nothing') }) }),
  ) as fc.Arbitrary<JsonObject>;
  const savedGroups = {
    people: ['ada', 'grace'],
    places: ['de', 'DE'],
    list: { type: 'list', attributeKey: 'plan', values: ['pro', 'team'] },
    adults: { type: 'condition', condition: { age: { $gte: 18 } } },
  };
  const parts = fc.array(leaf, { minLength: 1, maxLength: 3 });
  const condition = fc.oneof(
    leaf,
    fc.record({ $or: parts }),
    fc.record({ $and: parts }),
    fc.record({ $nor: parts }),
    fc.record({ $not: leaf }),
    fc.constant({}),
  ) as fc.Arbitrary<JsonObject>;
  const bound = fc.constantFrom(0, 0.1, 0.25, 0.333, 0.5, 0.7, 1);
  const range = fc.tuple(bound, bound).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
  const common = {
    condition,
    hashAttribute: fc.constantFrom('id', 'id', 'company'),
    hashVersion: fc.constantFrom(1, 2),
    seed: fc.constantFrom('', 's', 'seed ü'),
    filters: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.record({
            seed: fc.constant('f'),
            attribute: fc.constant('id'),
            ranges: fc.array(range, { maxLength: 2 }),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      },
    ),
  };
  const forced = (value: fc.Arbitrary<unknown>) =>
    fc.record(
      { ...common, force: value, coverage: fc.constantFrom(0, 0.3, 0.5, 0.123, 1), range },
      { requiredKeys: ['condition', 'force'] },
    );
  const weights = fc.constantFrom([0.5, 0.5], [0.1, 0.9], [0.3334, 0.6666], [0.2, 0.2]);
  const split = (value: fc.Arbitrary<unknown>) =>
    fc.record(
      {
        ...common,
        key: fc.constant('experiment'),
        variations: fc.tuple(value, value),
        weights,
        coverage: fc.constantFrom(0, 0.3, 0.5, 1),
        ranges: fc.tuple(range, range),
        namespace: fc.tuple(fc.constantFrom('n', 'm'), fc.constantFrom(0, 0.2), fc.constantFrom(0.5, 1)),
        meta: fc.constantFrom([{}, {}], [{ passthrough: true }, {}]),
      },
      { requiredKeys: ['condition', 'variations'] },
    );
  const parent = fc.record({
    gate: fc.boolean(),
    condition: fc.constantFrom(
      { value: true },
      { value: 'red' },
      { value: { $in: [1, 2] } },
      { value: { $ne: 'red' } },
      { value: { $exists: true } },
    ),
  });
  const ofType = (value: fc.Arbitrary<unknown>) =>
    fc.record({
      defaultValue: value,
      rules: fc.array(fc.oneof(forced(value), forced(value), split(value)), { maxLength: 3 }),
      parent: fc.option(parent, { freq: 2 }),
    });
  const feature = fc.oneof(
    ofType(fc.boolean()),
    ofType(fc.constantFrom('red', 'blue')),
    ofType(fc.constantFrom(1, 2)),
    ofType(fc.constantFrom({ a: 1 }, { b: [2] })),
  );

  it('gives the same values to the same people', { timeout: 300_000 }, async () => {
    const features = Object.fromEntries(
      sample(feature, 12).map(({ parent: on, rules, ...one }, at) => {
        const guard = on === null || at === 0 ? {} : { parentConditions: [{ id: `g${at - 1}`, ...on }] };
        return [`g${at}`, { ...one, rules: rules.map((rule, index) => (index === 0 ? { ...rule, ...guard } : rule)) }];
      }),
    );
    const payload = JSON.parse(JSON.stringify({ features, savedGroups }));
    const converted = convert('growthbook', payload, '', 0.8);
    const client = new GrowthBookClient().initSync({ payload });
    const isBoolean = (key: string): boolean => typeof payload.features[key].defaultValue === 'boolean';
    await expectEqualValues(converted, (key, { id, attributes }) => {
      const { value } = client.evalFeature(key, { attributes: { id, ...attributes } });
      // Blocked by a prerequisite: our boolean flags are false then.
      return value === null && isBoolean(key) ? false : value;
    });
  });

  it.each<[string, object, string]>([
    ['a nested attribute', { force: true, condition: { 'a.b': 1 } }, 'a condition on the nested attribute a.b'],
    ['a condition on lists', { force: true, condition: { tags: { $all: ['x'] } } }, 'the operator $all on tags'],
    ['a bandit', { contextualVariations: [1, 2] }, 'a rule with contextualVariations'],
    ['nothing', {}, 'a rule without force or variations'],
    [
      'a circle',
      { force: true, parentConditions: [{ id: 'a', condition: { value: true } }] },
      'it depends on "a", which depends on it',
    ],
    [
      'an unknown feature',
      { force: true, parentConditions: [{ id: 'x', condition: {} }] },
      'it depends on "x", which is not imported: it is not in the data',
    ],
    [
      'a pattern for absent attributes',
      { force: true, condition: { plan: { $regex: 'l+' } } },
      'a pattern on plan that also finds absent attributes',
    ],
  ])('lists %s', (_name, rule, why) => {
    const features = { a: { defaultValue: false, rules: [rule] } } as unknown as JsonObject;
    expect(convertFlags('growthbook', { features }, '', NOW).notImported).toEqual([{ key: 'a', why }]);
  });
});

describe('LaunchDarkly', () => {
  const clause = fc.oneof(
    fc.record({
      attribute: fc.constantFrom('plan', 'country', 'key'),
      op: fc.constantFrom('in', 'startsWith', 'endsWith', 'contains'),
      values: fc.array(fc.oneof(word, fc.constantFrom('ada', 'user-1')), { minLength: 1, maxLength: 3 }),
      negate: fc.boolean(),
    }),
    fc.record({
      attribute: fc.constant('age'),
      op: fc.constantFrom('lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual', 'in'),
      values: fc.array(age, { minLength: 1, maxLength: 2 }),
      negate: fc.boolean(),
    }),
    fc.record({
      attribute: fc.constant('beta'),
      op: fc.constant('in'),
      values: fc.boolean().map((value) => [value]),
      negate: fc.boolean(),
    }),
    fc.record({
      attribute: fc.constant('plan'),
      op: fc.constant('matches'),
      values: fc.constantFrom(['^p'], ['o.*m', '[A-Z]']),
      negate: fc.boolean(),
    }),
    fc.record({
      attribute: fc.constant('version'),
      op: fc.constantFrom('semVerEqual', 'semVerLessThan', 'semVerGreaterThan'),
      values: fc.constantFrom(['1.2.3'], ['1.10', '2']),
      negate: fc.constantFrom(false, false, true),
    }),
    fc.record({
      attribute: fc.constant('joined'),
      op: fc.constantFrom('before', 'after'),
      values: fc.constantFrom(['2026-01-01T00:00:00Z'], [Date.UTC(2026, 3, 1)]),
      negate: fc.constantFrom(false, false, true),
    }),
    fc.record({
      attribute: fc.constant(''),
      op: fc.constant('segmentMatch'),
      values: fc.constantFrom(['adults'], ['listed', 'adults'], ['some']),
      negate: fc.boolean(),
    }),
  );
  const segments = {
    listed: { key: 'listed', version: 1, salt: 'x', included: ['ada', 'user-1'], excluded: [], rules: [] },
    adults: {
      key: 'adults',
      version: 1,
      salt: 'x',
      included: ['grace'],
      excluded: ['ada'],
      rules: [{ id: 'r', clauses: [{ attribute: 'age', op: 'greaterThan', values: [17], negate: false }] }],
    },
    some: {
      key: 'some',
      version: 1,
      salt: 'salt',
      included: [],
      excluded: ['ada'],
      rules: [
        { id: 'r', weight: 40_000, clauses: [{ attribute: 'plan', op: 'in', values: ['pro', 'team'], negate: false }] },
      ],
    },
  };
  const weighted = fc.constantFrom([100_000, 0], [30_000, 70_000], [50_000, 20_000], [1, 99_999]);
  const outcome = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom({ variation: 0 }, { variation: 1 }) },
    {
      weight: 3,
      arbitrary: fc
        .record(
          {
            weights: weighted,
            bucketBy: fc.constantFrom('key', 'company', 'age'),
            seed: fc.constant(61),
            kind: fc.constantFrom('rollout', 'experiment'),
          },
          { requiredKeys: ['weights'] },
        )
        .map(({ weights, ...more }) => ({
          rollout: { ...more, variations: weights.map((weight, variation) => ({ variation, weight })) },
        })),
    },
  );
  const flag = fc.record({
    on: fc.constantFrom(true, true, true, true, false),
    salt: fc.constantFrom('s', 'other'),
    variations: fc.constantFrom([true, false], ['red', 'blue'], [1, 2], [{ a: 1 }, { b: 2 }]),
    offVariation: fc.constantFrom(0, 1),
    targets: fc.constantFrom([], [{ variation: 1, values: ['ada'] }]),
    contextTargets: fc.constantFrom([], [{ variation: 1, values: [], contextKind: 'user' }]),
    rules: fc.array(
      fc
        .tuple(fc.array(clause, { minLength: 1, maxLength: 2 }), outcome)
        .map(([clauses, given]) => ({ id: 'r', clauses, ...given })),
      { maxLength: 3 },
    ),
    fallthrough: outcome,
    needs: fc.constantFrom(null, null, 0, 1),
  });

  it('gives the same values to the same people', { timeout: 300_000 }, async () => {
    const flags = Object.fromEntries(
      sample(flag, 13).map(({ needs, ...one }, at) => {
        const prerequisites = needs === null || at === 0 ? [] : [{ key: `l${at - 1}`, variation: needs }];
        return [`l${at}`, { ...one, key: `l${at}`, version: 1, prerequisites }];
      }),
    );
    const converted = convert('launchdarkly', { flags, segments }, '', 0.5);
    const folder = mkdtempSync(join(tmpdir(), 'cairn-flags-'));
    writeFileSync(join(folder, 'flags.json'), JSON.stringify({ flags, segments }));
    const source = new integrations.FileDataSourceFactory({ paths: [join(folder, 'flags.json')] });
    const quiet = { error() {}, warn() {}, info() {}, debug() {} };
    const client = init('sdk', {
      updateProcessor: source.getFactory(),
      sendEvents: false,
      diagnosticOptOut: true,
      logger: quiet,
    });
    await client.waitForInitialization({ timeout: 10 });
    await expectEqualValues(converted, (key, { id, attributes }) =>
      client.variation(key, { kind: 'user', key: id, ...attributes }, 'none'),
    );
    client.close();
    rmSync(folder, { recursive: true });
  });

  it('reads the form of its API, by environment', () => {
    const variations = [
      { _id: 'x', value: true },
      { _id: 'y', value: false },
    ];
    const on = { on: true, fallthrough: { variation: 0 }, offVariation: 1, rules: [], targets: [] };
    const items = [
      { key: 'a', variations, environments: { production: on } },
      { key: 'b', variations, environments: { production: { ...on, prerequisites: [{ key: 'a', variation: 0 }] } } },
      { key: 'c', variations, environments: { test: on } },
      { key: 'd', variations, environments: { production: { ...on, prerequisites: [{ key: 'c', variation: 0 }] } } },
    ] as unknown as JsonObject[];
    const { converted, notImported } = convertFlags('launchdarkly', { items }, 'production', NOW);
    const needsA = { flag: 'a', operator: 'flag_evaluates_to', type: 'flag', value: true };
    expect(converted.map(({ flag: { key, filters }, dependsOn }) => [key, filters, dependsOn])).toEqual([
      ['a', { groups: [{ rollout_percentage: 100 }] }, []],
      ['b', { groups: [{ properties: [needsA], rollout_percentage: 100 }] }, ['a']],
    ]);
    expect(notImported).toEqual([
      { key: 'c', why: 'it has no environment "production"' },
      { key: 'd', why: 'it has no environment "production"' },
    ]);
  });

  it.each<[string, object, string]>([
    [
      'another context',
      { clauses: [{ attribute: 'x', op: 'in', values: ['a'], contextKind: 'org' }] },
      "a clause on the context 'org'",
    ],
    [
      'a big segment',
      { clauses: [{ op: 'segmentMatch', values: ['big'] }] },
      'the members of the big segment "big" are not in the data',
    ],
    [
      'an unknown segment',
      { clauses: [{ op: 'segmentMatch', values: ['no'] }] },
      'the segment "no" is not in the data',
    ],
    ['a nested attribute', { clauses: [{ attribute: '/a/b', op: 'in', values: ['a'] }] }, 'the nested attribute /a/b'],
  ])('lists a rule with %s', (_name, rule, why) => {
    const variations = [true, false];
    const a = {
      key: 'a',
      on: true,
      variations,
      offVariation: 1,
      fallthrough: { variation: 0 },
      rules: [{ ...rule, variation: 1 }],
    };
    const data = { flags: { a }, segments: { big: { key: 'big', unbounded: true } } } as unknown as JsonObject;
    expect(convertFlags('launchdarkly', data, '', NOW).notImported).toEqual([{ key: 'a', why }]);
  });
});

describe('flagd', () => {
  const attribute = (name: string) => ({ var: name });
  const leaf = fc.oneof(
    fc
      .tuple(fc.constantFrom('==', '!='), fc.constantFrom('plan', 'country'), word)
      .map(([op, name, value]) => ({ [op]: [attribute(name), value] })),
    fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => ({ in: [attribute('plan'), list] })),
    word.map((value) => ({ starts_with: [attribute('plan'), value] })),
    word.map((value) => ({ ends_with: [attribute('country'), value] })),
    fc.tuple(fc.constantFrom('<', '<=', '>', '>='), age).map(([op, value]) => ({ [op]: [attribute('age'), value] })),
    fc
      .tuple(fc.constantFrom('=', '<', '>=', '>'), fc.constant('1.2.3'))
      .map(([op, value]) => ({ sem_ver: [attribute('version'), op, value] })),
    fc.constantFrom('ada', 'user-1').map((id) => ({ '==': [attribute('targetingKey'), id] })),
    fc.constant({ $ref: 'pros' }),
  ) as fc.Arbitrary<JsonObject>;
  const condition = fc.oneof(
    leaf,
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((parts) => ({ and: parts })),
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((parts) => ({ or: parts })),
    fc.record({ '!': fc.array(leaf, { minLength: 1, maxLength: 1 }) }),
  );
  const weights = fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 90 }));
  const outcome = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>('a', 'b', null) },
    {
      weight: 1,
      arbitrary: weights.map(([a, b]) => ({
        fractional: [
          ['a', a],
          ['b', b],
        ],
      })),
    },
    {
      weight: 1,
      arbitrary: weights.map(([a, b]) => ({
        fractional: [{ cat: ['seed', { var: 'targetingKey' }] }, ['a', a], ['b', b]],
      })),
    },
  );
  const targeting = fc.oneof(
    fc.constant({}),
    outcome.filter((one) => typeof one === 'object' && one !== null),
    fc.tuple(condition, outcome, outcome).map((args) => ({ if: args })),
    fc.tuple(condition, outcome, condition, outcome, outcome).map((args) => ({ if: args })),
    fc
      .tuple(condition, outcome, fc.tuple(condition, outcome, outcome))
      .map(([first, then, rest]) => ({ if: [first, then, { if: rest }] })),
  );
  const flag = fc.record({
    state: fc.constant('ENABLED'),
    variants: fc.constantFrom(
      { a: true, b: false },
      { a: 'red', b: 'blue' },
      { a: 1, b: 2 },
      { a: { x: 1 }, b: { y: [2] } },
    ),
    defaultVariant: fc.constantFrom('a', 'b'),
    targeting,
  });
  const $evaluators = { pros: { in: [{ var: 'plan' }, ['pro', 'Pro']] } };

  it('gives the same values to the same people', { timeout: 300_000 }, async () => {
    const flags = Object.fromEntries(sample(flag, 14).map((one, at) => [`f${at}`, one]));
    const data = JSON.parse(JSON.stringify({ flags, $evaluators }));
    const converted = convert('flagd', data, '', 0.5);
    const core = new FlagdCore();
    core.setConfigurations(JSON.stringify(data));
    await expectEqualValues(
      converted,
      (key, { id, attributes }) => core.getFlag(key)?.evaluate({ targetingKey: id, ...attributes }).value,
    );
  });

  it.each<[string, object, string]>([
    ['a disabled flag', { state: 'DISABLED' }, 'it is disabled: callers get the value in their code'],
    ['arithmetic', { targeting: { if: [{ '==': [{ '%': [1, 2] }, 1] }, 'a', 'b'] } }, 'targeting that is no operation'],
    [
      'the time',
      { targeting: { if: [{ '>': [{ var: '$flagd.timestamp' }, 1] }, 'a', 'b'] } },
      'a condition on $flagd.timestamp',
    ],
    ['an unknown evaluator', { targeting: { if: [{ $ref: 'x' }, 'a'] } }, 'the evaluator "x" is not in the data'],
  ])('lists %s', (_name, more, why) => {
    const a = { state: 'ENABLED', variants: { a: true, b: false }, defaultVariant: 'a', ...more };
    const { notImported } = convertFlags('flagd', { flags: { a } } as unknown as JsonObject, '', NOW);
    expect(notImported).toMatchObject([{ key: 'a' }]);
    if (!why.startsWith('targeting')) expect(notImported[0]?.why).toBe(why);
  });
});
