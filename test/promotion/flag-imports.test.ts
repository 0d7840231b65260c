/** Flags of other products have the values here that their own SDKs give, for generated flags and users. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GrowthBookClient } from '@growthbook/growthbook';
import { init, integrations } from '@launchdarkly/node-server-sdk';
import fc from 'fast-check';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { prepareFlags } from '../../src/features/flags/rules/compile/prepare-flags.ts';
import { evaluate } from '../../src/features/flags/rules/evaluate/evaluate.ts';
import { convertFlags } from '../../src/features/promotion/rules/import/import-flags.ts';
import type { PortableFlag } from '../../src/features/promotion/rules/portable-flag.ts';

type Attributes = { plan?: string; country?: string; age?: number; beta?: boolean };
interface User {
  id: string;
  attributes: Attributes;
}
const USERS = 10_000;
const WORDS = ['pro', 'Pro', 'team', 'a.b', 'pro team', 'x+y', 'de', 'DE'];
const word = fc.constantFrom(...WORDS);
const age = fc.constantFrom(0, 17, 18, 19, 65, 17.5, -1);

const user = fc.record({
  id: fc.oneof(
    fc.integer({ min: 0, max: 99_999 }).map((n) => `user-${n}`),
    fc.constantFrom('ada', 'grace', 'Ada'),
  ),
  attributes: fc.record({ plan: word, country: word, age, beta: fc.boolean() }, { requiredKeys: [] }),
}) as fc.Arbitrary<User>;
const users = fc.sample(user, { numRuns: USERS, seed: 7 });

/** Our value: the flag's, or the payload of variants that stand for other values. */
function ourValues(flag: PortableFlag): unknown[] {
  const definition = {
    id: 1,
    key: flag.key,
    active: flag.active,
    version: 1,
    filters: flag.filters,
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all' as const,
    bucketingIdentifier: 'distinct_id' as const,
  };
  const prepared = prepareFlags({ flags: [definition], cohorts: [], groupTypes: new Map() });
  const hasPayloads = flag.filters['payloads'] !== undefined;
  return users.map(({ id, attributes }) => {
    const [result] = evaluate(prepared, {
      distinctId: id,
      deviceId: null,
      properties: attributes,
      groups: new Map(),
      staticCohorts: new Set(),
      overrides: new Map(),
      now: 0,
    });
    return hasPayloads ? result?.payload : result?.value;
  });
}

async function expectEqualValues(flags: readonly PortableFlag[], theirs: (key: string, user: User) => unknown) {
  const seen = new Set<unknown>();
  for (const flag of flags) {
    const values = ourValues(flag);
    for (const [at, one] of users.entries()) {
      const expected = await theirs(flag.key, one);
      seen.add(JSON.stringify(expected));
      if (JSON.stringify(values[at]) !== JSON.stringify(expected)) {
        expect.fail(
          `${flag.key} ${JSON.stringify(flag.filters)} for ${JSON.stringify(one)}: ours ${JSON.stringify(values[at])}, theirs ${JSON.stringify(expected)}`,
        );
      }
    }
  }
  expect(seen.size).toBeGreaterThan(1);
}

const FLAGS = 24;
const sample = <T>(flag: fc.Arbitrary<T>, seed: number): T[] => fc.sample(flag, { numRuns: FLAGS, seed });

describe('Unleash', () => {
  const text = fc.record({
    contextName: fc.constantFrom('plan', 'country', 'userId'),
    operator: fc.constantFrom('IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'),
    values: fc.array(fc.oneof(word, fc.constantFrom('ada', 'user-1')), { maxLength: 3 }),
    inverted: fc.boolean(),
    caseInsensitive: fc.boolean(),
  });
  const number = fc.record({
    contextName: fc.constant('age'),
    operator: fc.constantFrom('NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'),
    values: fc.constant([] as string[]),
    value: age.map(String),
    inverted: fc.constantFrom(false, false, true),
  });
  const strategy = fc.record({
    name: fc.constantFrom('default', 'flexibleRollout', 'userWithId'),
    constraints: fc.array(fc.oneof(text, number), { maxLength: 2 }),
    parameters: fc.record({
      rollout: fc.constantFrom('100', '100', '0', '30'),
      stickiness: fc.constant('default'),
      groupId: fc.constant('g'),
      userIds: fc.constant('ada, user-5'),
    }),
    segments: fc.constantFrom([], [], [1]),
  });
  const feature = fc.record({
    enabled: fc.constantFrom(true, true, true, false),
    strategies: fc.array(strategy, { maxLength: 3 }),
  });
  const segments = [
    {
      id: 1,
      name: 'S',
      constraints: [{ contextName: 'plan', operator: 'IN', values: ['pro', 'team'], inverted: false }],
    },
  ];

  it('gives the same values', async () => {
    const made = sample(feature, 11).map((one, at) => ({ ...one, name: `u${at}` }));
    const environment = 'production';
    const data = {
      features: made.map(({ name }) => ({ name, description: '' })),
      featureEnvironments: made.map(({ name, enabled }) => ({ featureName: name, environment, enabled })),
      featureStrategies: made.flatMap(({ name, strategies }) =>
        strategies.map((one) => ({ ...one, strategyName: one.name, featureName: name, environment })),
      ),
      segments,
    } as unknown as JsonObject;
    const { total, equal, differ, notImported } = convertFlags('unleash', data, environment);
    expect(total).toBe(equal.length + differ.length + notImported.length);
    expect(equal.length).toBeGreaterThan(8);
    const unleash = new Unleash({
      url: 'http://127.0.0.1:9/',
      appName: 'test',
      disableMetrics: true,
      refreshInterval: 0,
      storageProvider: new InMemStorageProvider(),
      bootstrap: {
        data: made.map((one) => ({
          ...one,
          type: 'release',
          stale: false,
          impressionData: false,
          variants: [],
        })) as never,
        segments: segments as never,
      },
    });
    unleash.on('error', () => undefined);
    unleash.on('warn', () => undefined);
    await new Promise<void>((resolve) => unleash.once('ready', () => resolve()));
    await expectEqualValues(equal, (key, { id, attributes }) => {
      const { age: years, beta, ...texts } = attributes;
      const properties = {
        ...texts,
        ...(years === undefined ? {} : { age: String(years) }),
        ...(beta === undefined ? {} : { beta: String(beta) }),
      };
      return unleash.isEnabled(key, { userId: id, properties });
    });
    unleash.destroy();
  });

  it.each<[string, object, string]>([
    ['a strategy of its own', { name: 'byMoon' }, "strategy 'byMoon'"],
    [
      'a percentage by session',
      { name: 'flexibleRollout', parameters: { rollout: '10', stickiness: 'sessionId' } },
      "its percentage sticks to 'sessionId'",
    ],
    [
      'a time',
      { name: 'default', constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01' }] },
      'a constraint on currentTime',
    ],
  ])('lists what it cannot have here, with the reason: %s', (_name, strategy, why) => {
    const of = { featureName: 'a', environment: 'production' };
    const data = {
      features: [{ name: 'a' }],
      featureEnvironments: [{ ...of, enabled: true }],
      featureStrategies: [{ ...of, ...strategy }],
    } as unknown as JsonObject;
    expect(convertFlags('unleash', data, 'production').notImported).toEqual([{ key: 'a', why }]);
    const elsewhere = convertFlags('unleash', data, 'staging').notImported;
    expect(elsewhere).toEqual([{ key: 'a', why: 'it has no environment "staging"' }]);
  });
});

describe('GrowthBook', () => {
  const leaf = fc.oneof(
    fc.record({ plan: word }),
    fc.record({ country: fc.record({ $in: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ plan: fc.record({ $nin: fc.array(word, { minLength: 1, maxLength: 3 }) }) }),
    fc.record({ plan: fc.record({ $ne: word }) }),
    fc.record({ age: fc.record({ $gte: age }) }),
    fc.record({ age: fc.record({ $gt: age, $lte: age }) }),
    fc.record({ age }),
    fc.record({ beta: fc.boolean() }),
    fc.record({ id: fc.constantFrom('ada', 'grace') }),
    fc.record({ country: fc.record({ $exists: fc.boolean() }) }),
  ) as fc.Arbitrary<JsonObject>;
  const condition = fc.oneof(
    leaf,
    fc.record({ $or: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
    fc.record({ $and: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
    fc.constant({}),
  ) as fc.Arbitrary<JsonObject>;
  const ofType = (value: fc.Arbitrary<unknown>) =>
    fc.record({
      defaultValue: value,
      rules: fc.array(fc.record({ condition, force: value, coverage: fc.constantFrom(1, 1, 1, 1, 0, 0.3) }), {
        maxLength: 3,
      }),
    });
  const feature = fc.oneof(
    ofType(fc.boolean()),
    ofType(fc.constantFrom('red', 'blue')),
    ofType(fc.constantFrom(1, 2)),
    ofType(fc.constantFrom({ a: 1 }, { b: [2] })),
  );

  it('gives the same values', async () => {
    const features = Object.fromEntries(sample(feature, 12).map((one, at) => [`g${at}`, one]));
    const { equal, differ, notImported, total } = convertFlags('growthbook', { features } as unknown as JsonObject, '');
    expect(total).toBe(equal.length + differ.length + notImported.length);
    expect(equal.length).toBeGreaterThan(10);
    const client = new GrowthBookClient().initSync({ payload: { features: features as never } });
    await expectEqualValues(
      equal,
      (key, { id, attributes }) => client.evalFeature(key, { attributes: { id, ...attributes } }).value,
    );
  });

  it('lists a rule with a namespace, and one that splits', () => {
    const features = {
      a: { defaultValue: false, rules: [{ force: true, namespace: ['x', 0, 1] }] },
      b: { defaultValue: 'x', rules: [{ variations: ['x', 'y'], weights: [0.5, 0.5] }] },
    } as unknown as JsonObject;
    const { notImported, differ } = convertFlags('growthbook', { features }, '');
    expect(notImported).toEqual([{ key: 'a', why: 'a rule with namespace' }]);
    expect(differ).toMatchObject([{ flag: { key: 'b' }, reason: expect.stringContaining('other people') }]);
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
      op: fc.constantFrom('lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'),
      values: age.map((value) => [value]),
      negate: fc.constant(false),
    }),
    fc.record({
      attribute: fc.constant('beta'),
      op: fc.constant('in'),
      values: fc.boolean().map((value) => [value]),
      negate: fc.constant(false),
    }),
  );
  const outcome = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom({ variation: 0 }, { variation: 1 }) },
    {
      weight: 1,
      arbitrary: fc.constant({
        rollout: {
          variations: [
            { variation: 0, weight: 100_000 },
            { variation: 1, weight: 0 },
          ],
        },
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constant({
        rollout: {
          variations: [
            { variation: 0, weight: 30_000 },
            { variation: 1, weight: 70_000 },
          ],
        },
      }),
    },
  );
  const flag = fc.record({
    on: fc.constantFrom(true, true, true, false),
    variations: fc.constantFrom([true, false], ['red', 'blue'], [1, 2], [{ a: 1 }, { b: 2 }]),
    offVariation: fc.constantFrom(0, 1),
    targets: fc.constantFrom([], [{ variation: 1, values: ['ada'] }]),
    rules: fc.array(
      fc
        .tuple(fc.array(clause, { minLength: 1, maxLength: 2 }), outcome)
        .map(([clauses, given]) => ({ id: 'r', clauses, ...given })),
      { maxLength: 3 },
    ),
    fallthrough: outcome,
  });

  it('gives the same values', async () => {
    const flags = Object.fromEntries(
      sample(flag, 13).map((one, at) => [
        `l${at}`,
        { ...one, key: `l${at}`, version: 1, salt: 's', prerequisites: [] },
      ]),
    );
    const { equal, differ, notImported, total } = convertFlags('launchdarkly', { flags } as unknown as JsonObject, '');
    expect(total).toBe(equal.length + differ.length + notImported.length);
    expect(equal.length).toBeGreaterThan(10);
    const folder = mkdtempSync(join(tmpdir(), 'cairn-flags-'));
    writeFileSync(join(folder, 'flags.json'), JSON.stringify({ flags, segments: {} }));
    const source = new integrations.FileDataSourceFactory({ paths: [join(folder, 'flags.json')] });
    const quiet = { error() {}, warn() {}, info() {}, debug() {} };
    const client = init('sdk', {
      updateProcessor: source.getFactory(),
      sendEvents: false,
      diagnosticOptOut: true,
      logger: quiet,
    });
    await client.waitForInitialization({ timeout: 10 });
    await expectEqualValues(equal, (key, { id, attributes }) =>
      client.variation(key, { kind: 'user', key: id, ...attributes }, 'none'),
    );
    client.close();
    rmSync(folder, { recursive: true });
  });

  it('reads the form of its API, by environment, and lists prerequisites', () => {
    const variations = [
      { _id: 'x', value: true },
      { _id: 'y', value: false },
    ];
    const on = { on: true, fallthrough: { variation: 0 }, offVariation: 1, rules: [], targets: [] };
    const items = [
      { key: 'a', variations, environments: { production: on } },
      { key: 'b', variations, environments: { production: { ...on, prerequisites: [{ key: 'a', variation: 0 }] } } },
      { key: 'c', variations, environments: { test: on } },
    ] as unknown as JsonObject[];
    const { equal, notImported } = convertFlags('launchdarkly', { items }, 'production');
    expect(equal.map(({ key, filters }) => [key, filters])).toEqual([['a', { groups: [{ rollout_percentage: 100 }] }]]);
    expect(notImported).toEqual([
      { key: 'b', why: 'it has prerequisites' },
      { key: 'c', why: 'it has no environment "production"' },
    ]);
  });
});
