/** A relay's answer equals its server's: on recorded cases, and on flags and persons at random. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EvaluationRuntime } from '../../src/core/flag-options.ts';
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import { clientFor } from '../support/client.ts';
import { startRelay, type TestRelay } from '../support/relay.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

let server: TestServer;
let relay: TestRelay;
let secret: string;
beforeAll(async () => {
  server = await startServer();
  const { body } = await clientFor(server).patch('/api/projects/1/rotate_secret_token/');
  secret = body.secret_api_token;
  relay = await startRelay(server.url, secret);
});
afterAll(async () => {
  await relay.close();
  await server.close();
  relay.remove();
});

interface Definitions {
  flags: readonly JsonObject[];
  cohorts?: Record<string, Json>;
  group_type_mapping?: Record<string, string>;
  /** Static cohorts, with the distinct ids of their members. */
  members?: Record<string, readonly string[]>;
}

/** Replaces all definitions, and waits until the relay has them. */
async function define(definitions: Definitions): Promise<void> {
  const { flags, cohorts = {}, group_type_mapping: types = {}, members = {} } = definitions;
  for (const table of ['feature_flags', 'cohorts', 'group_types']) {
    await server.tamper(`delete from ${table}`).catch((error: unknown) => {
      if (!String(error).includes('no such table')) throw error;
    });
  }
  for (const [index, name] of Object.entries(types)) {
    await server.tamper('insert into group_types (project_id, type_index, name) values (1, ?, ?)', Number(index), name);
  }
  const ids = new Map<string, number>();
  const withIds = (value: Json): Json =>
    JSON.parse(JSON.stringify(value ?? null), (_key, part) =>
      part?.type === 'cohort' ? { ...part, value: ids.get(String(part.value)) ?? 999_999 } : part,
    );
  for (const [id, distinctIds] of Object.entries(members)) {
    const { id: stored } = await server.addCohort({ isStatic: true });
    const personIds = await server.metadata.cohortMembers.listPersonIdsByDistinctId(1, distinctIds);
    await server.metadata.cohortMembers.add(1, stored, personIds);
    ids.set(id, stored);
  }
  for (const [id, properties] of Object.entries(cohorts)) {
    const { id: stored } = await server.addCohort({ filters: { properties: withIds(properties) } as JsonObject });
    ids.set(id, stored);
  }
  for (const flag of flags) {
    await server.addFlag({
      key: String(flag['key']),
      active: flag['active'] !== false,
      filters: withIds(flag['filters'] ?? {}) as JsonObject,
      ensureExperienceContinuity: flag['ensure_experience_continuity'] === true,
      bucketingIdentifier: flag['bucketing_identifier'] === 'device_id' ? 'device_id' : 'distinct_id',
      evaluationRuntime: (flag['evaluation_runtime'] ?? 'all') as EvaluationRuntime,
    });
  }
  await expect.poll(() => etagOf(relay.url), { timeout: 10_000, interval: 20 }).toBe(await etagOf(server.url));
}

const etagOf = async (url: string): Promise<string | null> => {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(new URL('/flags/definitions', url), { headers })).headers.get('etag');
};

async function answer(url: string, path: string, body: object): Promise<unknown> {
  const { status, json } = await sendJson(url, path, { token: server.projectKey, geoip_disable: true, ...body });
  const { requestId: _id, evaluatedAt: _at, ...rest } = json;
  return { status, ...rest };
}

async function expectEqual(body: object): Promise<void> {
  for (const path of ['/flags/?v=2', '/decide/?v=3']) {
    expect(await answer(relay.url, path, body)).toEqual(await answer(server.url, path, body));
  }
}

interface Asked {
  distinct_id: string;
  person_properties?: JsonObject;
  groups?: object;
  group_properties?: object;
  device_id?: string;
  $anon_distinct_id?: string;
}

/** With the secret key of a server, and with the public key; all flags, and one. */
async function expectEqualOfrep({ distinct_id, person_properties, device_id, ...rest }: Asked): Promise<void> {
  const { groups = {}, group_properties = {}, $anon_distinct_id } = rest;
  const context = {
    targetingKey: distinct_id,
    ...person_properties,
    groups,
    group_properties,
    ...(device_id === undefined ? {} : { $device_id: device_id }),
    ...($anon_distinct_id === undefined ? {} : { $anon_distinct_id }),
    geoip_disable: true,
  };
  for (const key of [secret, server.projectKey]) {
    for (const path of ['', '/flag-0']) {
      const ask = async (url: string) => {
        const headers = { authorization: `Bearer ${key}` };
        const { status, json } = await sendJson(url, `/ofrep/v1/evaluate/flags${path}`, { context }, headers);
        const { eventStreams: _streams, ...said } = json;
        return { status, ...said };
      };
      expect(await ask(relay.url)).toEqual(await ask(server.url));
    }
  }
}

interface LocalCase extends Definitions {
  id: string;
  distinct_id: string;
  person_properties?: JsonObject;
  groups?: JsonObject;
  group_properties?: JsonObject;
  device_id?: string;
}

describeVectors<{ cases: LocalCase[] }>('recorded cases', 'local-eval-cases.json', ({ cases }) => {
  it('are answered as by the server', { timeout: 300_000 }, async () => {
    let last = '';
    for (const { flags, cohorts = {}, group_type_mapping = {}, ...one } of cases) {
      const definitions = JSON.stringify([flags, cohorts, group_type_mapping]);
      if (definitions !== last) await define({ flags, cohorts, group_type_mapping });
      last = definitions;
      const { distinct_id, person_properties, groups, group_properties, device_id } = one;
      await expectEqual({ distinct_id, person_properties, groups, group_properties, device_id });
    }
    expect(cases.length).toBeGreaterThan(100);
  });
});

interface MatchCase {
  property: JsonObject;
  properties: JsonObject;
}

describeVectors<{ cases: MatchCase[] }>('recorded conditions', 'match-property-cases.json', ({ cases }) => {
  it('are matched as by the server', { timeout: 300_000 }, async () => {
    const chunks = Array.from({ length: Math.ceil(cases.length / 100) }, (_, i) => cases.slice(i * 100, i * 100 + 100));
    for (const chunk of chunks) {
      const flags = chunk.map(({ property }, index) => ({
        key: `condition-${index}`,
        filters: { groups: [{ properties: [{ type: 'person', ...property }], rollout_percentage: 100 }] },
      }));
      await define({ flags });
      for (const { properties } of chunk) await expectEqual({ distinct_id: 'ada', person_properties: properties });
    }
  });
});

interface CohortCase {
  property?: JsonObject;
  property_group?: Json;
  properties: JsonObject;
  cohorts: Record<string, Json>;
}

describeVectors<{ cases: CohortCase[] }>('recorded cohorts', 'cohort-cases.json', ({ cases }) => {
  it('are matched as by the server', { timeout: 300_000 }, async () => {
    for (const {
      property = { key: 'id', type: 'cohort', value: 7 },
      property_group: group,
      properties,
      ...one
    } of cases) {
      const cohorts = { ...one.cohorts, ...(group === undefined ? {} : { 7: group }) };
      await define({ flags: [{ key: 'flag', filters: { groups: [{ properties: [property] }] } }], cohorts });
      await expectEqual({ distinct_id: 'a', person_properties: properties });
    }
    expect(cases.length).toBeGreaterThan(5);
  });
});

interface DecideCase extends Definitions {
  persons: Record<string, JsonObject>;
  distinct_id: string;
}

describeVectors<{ decide: DecideCase[] }>('recorded decisions', 'decide-cases.json', ({ decide: cases }) => {
  it('are made as by the server, also with what is stored there', { timeout: 300_000 }, async () => {
    for (const { persons, distinct_id, ...definitions } of cases) {
      const batch = Object.entries(persons).map(([id, properties]) => ({
        event: '$set',
        distinct_id: id,
        properties: { $set: properties },
      }));
      if (batch.length > 0) await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
      await server.drain();
      await define(definitions);
      await expectEqual({ distinct_id });
    }
    expect(cases.length).toBeGreaterThan(3);
  });
});

const word = fc.constantFrom('pro', 'Free', '7', '7.0', 'a b', '');
const key = fc.constantFrom('plan', 'name', 'age');
const condition = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('exact', 'is_not', 'icontains', 'regex', 'gt', 'lte', 'is_set', 'is_not_set'),
    value: word,
    type: fc.constant('person'),
  }),
  fc.record({
    key: fc.constant('size'),
    operator: fc.constantFrom('gt', 'exact'),
    value: word,
    type: fc.constant('group'),
    group_type_index: fc.constant(0),
  }),
  // The third does not exist, the fourth is static, the fifth refers to it.
  fc.record({
    key: fc.constant('id'),
    value: fc.constantFrom('1', '2', '3', '4', '4', '5', '5'),
    type: fc.constant('cohort'),
    operator: fc.constantFrom('in', 'in', 'not_in'),
  }),
);
const variants = fc.constantFrom(undefined, {
  variants: [
    { key: 'a', rollout_percentage: 30 },
    { key: 'b', rollout_percentage: 70 },
  ],
});
/** Of another product: by the id of the user, or by a property. */
const bucketing = fc.constantFrom('unleash', 'growthbook_2', 'launchdarkly').chain((hash) =>
  fc.constantFrom('distinct_id', 'plan').map((by) => [
    {
      hash,
      salt: 's',
      by,
      of: 100,
      ranges: [
        { from: 0, to: 40 },
        { from: 40, to: 60, value: false },
      ],
    },
  ]),
);
const filters = fc.record({
  groups: fc.array(
    fc.record(
      {
        properties: fc.array(condition, { maxLength: 2 }),
        rollout_percentage: fc.constantFrom(null, 0, 50, 100),
        bucketing: fc.option(bucketing, { freq: 3, nil: undefined }),
      },
      { requiredKeys: ['properties', 'rollout_percentage'] },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  multivariate: variants,
  payloads: fc.constantFrom({}, { true: '{"n":1}', a: '12345678901234567890' }),
});
const flag = fc.record({
  filters,
  active: fc.constantFrom(true, true, true, false),
  ensure_experience_continuity: fc.constantFrom(false, false, false, true),
  bucketing_identifier: fc.constantFrom('distinct_id', 'device_id'),
  evaluation_runtime: fc.constantFrom('all', 'all', 'server', 'client'),
});
const tree = fc.record({
  type: fc.constantFrom('AND', 'OR'),
  values: fc.array(
    fc.record({ key, operator: fc.constantFrom('exact', 'is_not'), value: word, type: fc.constant('person') }),
    {
      minLength: 1,
      maxLength: 2,
    },
  ),
});
const ofStatic = fc.record({
  key: fc.constant('id'),
  value: fc.constant('4'),
  type: fc.constant('cohort'),
  negation: fc.boolean(),
});
const treeWithStatic = fc
  .tuple(tree, ofStatic)
  .map(([{ type, values }, cohort]) => ({ type, values: [...values, cohort] }));
const person = fc.record(
  {
    distinct_id: fc.constantFrom('ada', 'stored', 'grace', '7'),
    person_properties: fc.dictionary(key, fc.oneof(word, fc.integer({ min: -3, max: 40 }), fc.boolean())),
    groups: fc.constantFrom({}, { company: 'acme' }),
    group_properties: fc.constantFrom({}, { company: { size: 5 } }),
    device_id: fc.constantFrom('device-1', 'device-2'),
    $anon_distinct_id: fc.constantFrom('anon-1', 'ada'),
    flag_keys: fc.subarray(['flag-0', 'flag-1', 'flag-2', 'none']),
    evaluation_runtime: fc.constantFrom('server', 'client'),
  },
  { requiredKeys: ['distinct_id'] },
);

it('flags and persons at random are answered as by the server', { timeout: 300_000 }, async () => {
  await sendJson(server.url, '/batch/', {
    api_key: server.projectKey,
    batch: [
      { event: '$identify', distinct_id: 'stored', properties: { $set: { plan: 'pro', age: 7 } } },
      { event: 'seen', distinct_id: 'ada' },
      { event: 'seen', distinct_id: 'grace' },
    ],
  });
  await server.drain();
  const worlds = fc.record({
    flags: fc.array(flag, { minLength: 1, maxLength: 8 }),
    cohorts: fc.record({ 1: tree, 2: tree, 5: treeWithStatic }),
    members: fc.record({ 4: fc.subarray(['ada', 'stored', 'grace']) }),
    persons: fc.array(person, { minLength: 10, maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(worlds, async ({ flags, cohorts, members, persons }) => {
      const named = flags.map((one, index) => ({ ...one, key: `flag-${index}` })) as unknown as JsonObject[];
      await define({
        flags: named,
        cohorts: cohorts as unknown as Record<string, Json>,
        group_type_mapping: { 0: 'company' },
        members,
      });
      for (const one of persons) {
        await expectEqual(one);
        await expectEqualOfrep(one);
      }
    }),
    { numRuns: 15 },
  );
});
