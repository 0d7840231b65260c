/** Importing flags of other products on the command line, with proof by their own SDKs. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

const written = (name: string, content: object): string => {
  const path = scratch.path(name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const run = (...args: string[]) => cairn(['flags', 'import', ...args, '--data-dir', server.dataDir]);
const flagsByKey = async (): Promise<Record<string, { filters: { groups: object[] } }>> =>
  Object.fromEntries(
    (await clientFor(server).get('/api/projects/1/feature_flags/')).body.results.map((flag: { key: string }) => [
      flag.key,
      flag,
    ]),
  );

const GROWTHBOOK = {
  features: {
    dark: { defaultValue: false, rules: [{ condition: { plan: 'paid', age: { $gte: 18 } }, force: true }] },
    limits: { defaultValue: { max: 3 }, rules: [{ condition: { country: 'de' }, force: { max: 9 } }] },
    exp: { defaultValue: 'x', rules: [{ variations: ['x', 'y', 'z'], weights: [0.2, 0.3, 0.5] }] },
    nested: { defaultValue: false, rules: [{ force: true, condition: { 'a.b': 1 } }] },
  },
};
const of = (featureName: string) => ({ featureName, environment: 'production' });
const UNLEASH_KEYS = ['everyone', 'third', 'beta', 'child', 'moon'];
const UNLEASH = {
  features: UNLEASH_KEYS.map((name) => ({ name, description: '', variants: [] })),
  featureEnvironments: UNLEASH_KEYS.map((name) => ({ ...of(name), enabled: true })),
  featureStrategies: [
    { ...of('everyone'), name: 'default', constraints: [], parameters: {} },
    {
      ...of('third'),
      strategyName: 'flexibleRollout',
      constraints: [],
      parameters: { rollout: '33', stickiness: 'default', groupId: 'third' },
      variants: [
        { name: 'a', weight: 400, stickiness: 'default', payload: { type: 'json', value: '{"n":1}' } },
        { name: 'b', weight: 600, stickiness: 'default' },
      ],
    },
    { ...of('beta'), name: 'default', constraints: [], parameters: {}, segments: [1] },
    { ...of('child'), name: 'default', constraints: [], parameters: {} },
    { ...of('moon'), name: 'byMoon', constraints: [], parameters: {} },
  ],
  segments: [
    { id: 1, name: 'Beta', constraints: [{ contextName: 'plan', operator: 'IN', values: ['beta'], inverted: false }] },
  ],
  dependencies: [{ feature: 'child', dependencies: [{ feature: 'third', enabled: true, variants: ['a'] }] }],
};
const rollout = (weight: number) => ({
  rollout: {
    variations: [
      { variation: 0, weight },
      { variation: 1, weight: 100_000 - weight },
    ],
  },
});
const state = {
  on: true,
  salt: 'salt',
  offVariation: 1,
  targets: [{ variation: 0, values: ['ada'] }],
  rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'], negate: false }], variation: 0 }],
  fallthrough: rollout(30_000),
  prerequisites: [],
};
const inSegment = [{ attribute: '', op: 'segmentMatch', values: ['vip'], negate: false }];
const VARIATIONS = [
  { _id: 'x', value: true },
  { _id: 'y', value: false },
];
const LAUNCHDARKLY = {
  items: [
    { key: 'a', variations: VARIATIONS, environments: { production: state } },
    {
      key: 'b',
      variations: VARIATIONS,
      environments: {
        production: {
          ...state,
          rules: [{ clauses: inSegment, ...rollout(50_000) }],
          prerequisites: [{ key: 'a', variation: 0 }],
        },
      },
    },
    { key: 'c', variations: VARIATIONS, environments: { test: state } },
  ],
  segments: [{ key: 'vip', included: ['ada', 'grace'], excluded: [], rules: [] }],
};
const FLAGD = {
  flags: {
    banner: {
      state: 'ENABLED',
      variants: { on: true, off: false },
      defaultVariant: 'on',
      targeting: {
        fractional: [
          ['on', 50],
          ['off', 50],
        ],
      },
    },
  },
};

describe('an import with --verify', () => {
  it.each<[string, object, string[], string, string[]]>([
    ['unleash', UNLEASH, ['beta', 'child', 'everyone', 'third'], 'unleash-client', ['moon']],
    ['growthbook', GROWTHBOOK, ['dark', 'exp', 'limits'], '@growthbook/growthbook', ['nested']],
    ['launchdarkly', LAUNCHDARKLY, ['a', 'b'], '@launchdarkly/node-server-sdk', ['c']],
    ['flagd', FLAGD, ['banner'], '@openfeature/flagd-core', []],
  ])('proves equal values by the SDK of %s', async (source, data, equal, evaluator, leftOut) => {
    const file = written(`${source}.json`, data);
    const args = ['flags', 'import', source, file, '--project', '1', '--keep-people', '--verify'];
    const { proof, plan, status } = (await cairnJson([...args, '--data-dir', server.dataDir])) as {
      proof: {
        equal: string[];
        differ: object[];
        otherTypes: object[];
        notImported: { key: string }[];
        evaluator: string;
        users: number;
      };
      plan: { changes: { name: string }[] };
      status: string;
    };
    expect([status, proof.evaluator, proof.users, proof.differ]).toEqual(['planned', evaluator, 10_000, []]);
    expect([proof.equal.sort(), proof.notImported.map(({ key }) => key)]).toEqual([equal, leftOut]);
    expect(proof.otherTypes).toEqual([]);
    expect(plan.changes.map(({ name }) => name).sort()).toEqual(equal);
  });

  it('leaves out what differs for given users, with examples, unless it is accepted', async () => {
    const file = written('growthbook.json', GROWTHBOOK);
    // GrowthBook takes a list with one text as the text.
    const contexts = written('users.json', [
      { distinct_id: 'ada', properties: { plan: 'paid', age: 20 } },
      { distinct_id: 'bob', properties: { plan: ['paid'], age: 20 } },
    ]);
    const args = ['growthbook', file, '--project', '1', '--verify', '--contexts', contexts, '--keep-people'];
    const plan = await run(...args);
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('! dark was left out: 1 of 2 users get another value from @growthbook/growthbook\n');
    expect(plan.stdout).toContain('2 of 3 flags give 2 users the value that @growthbook/growthbook gives them.\n');
    expect(plan.stdout).toContain(
      '    dark for {"distinct_id":"bob","properties":{"plan":["paid"],"age":20}}: theirs true, ours false\n',
    );
    expect(Object.keys(await flagsByKey())).toEqual([]);
    expect((await run(...args, '--yes')).code).toBe(0);
    expect(Object.keys(await flagsByKey()).sort()).toEqual(['exp', 'limits']);
    const accepted = (await run(...args, '--accept', 'dark', '--yes')).stdout;
    expect(accepted).toContain('+ create flag dark\n');
    expect(accepted).toContain('! dark (accepted): 1 of 2 users get another value from @growthbook/growthbook\n');
    expect(accepted).toContain('2 of 4 flags have equal values for everybody.\n');
    expect(Object.keys(await flagsByKey()).sort()).toEqual(['dark', 'exp', 'limits']);
  });

  it('lists what differs only for values of other types, and imports it', async () => {
    // GrowthBook takes null for 0.
    const minors = { defaultValue: false, rules: [{ condition: { age: { $lt: 18 } }, force: true }] };
    const file = written('minors.json', { features: { minors } });
    const { code, stdout } = await run('growthbook', file, '--project', '1', '--verify');
    expect(code).toBe(0);
    expect(stdout).toContain('+ create flag minors\n');
    expect(stdout).toContain('1 of 1 flags give 10000 users the value that @growthbook/growthbook gives them.\n');
    expect(stdout).toContain(
      'Values that the conditions do not expect (of other types, null, versions like 2-alpha) may differ: minors\n',
    );
    expect(stdout).toMatch(
      / {4}minors for \{"distinct_id":"user-\d+","properties":\{"age":[^}]*\}\}: theirs true, ours false\n/,
    );
  });

  it('says what is missing or wrong', async () => {
    const file = written('growthbook.json', GROWTHBOOK);
    const bad = written('bad.json', [{ properties: {} }]);
    const refused = await run('growthbook', file, '--project', '1', '--verify', '--contexts', bad);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Context 1 is not {"distinct_id"')]);
    const posthog = written('posthog.json', { results: [{ id: 1, key: 'p', filters: { groups: [{}] } }] });
    const same = await run('posthog', posthog, '--project', '1', '--verify');
    expect([same.code, same.stderr]).toEqual([1, expect.stringContaining('flags of posthog are hashed as here')]);
    expect((await run('growthbook', file, '--contexts', bad)).code).toBe(2);
    const other = await run('unleash', file, '--project', '1');
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('This looks like an export of GrowthBook, not of Unleash.'),
    ]);
  });
});
