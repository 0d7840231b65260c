/**
 * One answer: a flag has the same value through every version of /decide/ and /flags/, for OpenFeature's providers, and in
 * an SDK that evaluates by itself. The SDK is the real one, and it knows the flags by asking the server for their definitions.
 */
import fc from 'fast-check';
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { clientFor } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let sdk: PostHog;
beforeAll(async () => {
  // The SDK uses the real clock for relative dates.
  server = await startServer({ now: new Date().toISOString() });
  await sendJson(server.url, '/capture/', {
    api_key: server.projectKey,
    event: '$groupidentify',
    distinct_id: 'somebody',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 5 } },
  });
  await server.drain();
  sdk = new PostHog(server.projectKey, {
    host: server.url,
    personalApiKey: server.personalKey,
    featureFlagsPollingInterval: 3_600_000,
    disableGeoip: true,
  });
});
afterAll(async () => {
  await sdk.shutdown();
  await server.close();
});

const WORDS = ['pro', 'Free', 'enterprise', 'x1', 'a b', '7', '7.0'];
const word = fc.constantFrom(...WORDS);
const number = fc.integer({ min: -3, max: 40 });
const day = fc.constantFrom('2024-02-29', '2025-06-30T10:00:00Z', '2026-01-01');

/**
 * What an SDK cannot be sure of it asks the server, and there would be nothing to compare. So every person has every
 * property; whole numbers are not compared for equality (to the SDK, 5 might have been 5.0), and texts that patterns are tried on are ASCII.
 */
const person = fc.record({ plan: word, name: word, age: number, since: day, admin: fc.boolean() });
const company = fc.record({ size: number, city: word });

const oneOrSome = (values: fc.Arbitrary<string>) => fc.oneof(values, fc.array(values, { minLength: 1, maxLength: 3 }));
const textCondition = (key: fc.Arbitrary<string>, type: JsonObject) =>
  fc
    .oneof(
      fc.record({ key, operator: fc.constantFrom('exact', 'is_not'), value: oneOrSome(word) }),
      fc.record({
        key,
        operator: fc.constantFrom('icontains', 'not_icontains'),
        value: fc.constantFrom('r', 'E', 'ss', ' '),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('regex', 'not_regex'),
        value: fc.constantFrom('^[a-f]', 'r.', '\\d$', '[^a-z]'),
      }),
      fc.record({ key, operator: fc.constant('is_set'), value: fc.constant('is_set') }),
    )
    .map((condition) => ({ ...condition, ...type }));
const numberCondition = (key: string, type: JsonObject) =>
  fc
    .record({ operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value: number })
    .map(({ operator, value }) => ({ key, operator, value: String(value), ...type }));

const PERSON = { type: 'person' };
const personCondition: fc.Arbitrary<JsonObject> = fc.oneof(
  textCondition(fc.constantFrom('plan', 'name'), PERSON),
  numberCondition('age', PERSON),
  fc.record({
    key: fc.constant('since'),
    operator: fc.constantFrom('is_date_before', 'is_date_after'),
    value: fc.constantFrom('2025-01-01', '2025-06-30T10:00:00Z', '-8m', '1y'),
    type: fc.constant('person'),
  }),
  fc.record({
    key: fc.constant('admin'),
    operator: fc.constantFrom('exact', 'is_not'),
    value: fc.constantFrom('true', 'false').map((value) => [value]),
    type: fc.constant('person'),
  }),
);

const GROUP = { type: 'group', group_type_index: 0 };
const companyCondition = fc.oneof(textCondition(fc.constant('city'), GROUP), numberCondition('size', GROUP));

const share = fc.oneof(fc.constant(null), fc.constantFrom(0, 100, 33.3), fc.integer({ min: 1, max: 99 }));
const variants = fc.constantFrom(
  null,
  {
    variants: [
      { key: 'a', rollout_percentage: 50 },
      { key: 'b', rollout_percentage: 50 },
    ],
  },
  {
    variants: [
      { key: 'a', rollout_percentage: 10 },
      { key: 'b', rollout_percentage: 60 },
      { key: 'c', rollout_percentage: 30 },
    ],
  },
);
const override = (multivariate: JsonObject | null) =>
  multivariate ? fc.constantFrom(null, 'a', 'b') : fc.constant(null);

const filtersOf = (condition: fc.Arbitrary<JsonObject>, index: number | null): fc.Arbitrary<JsonObject> =>
  variants.chain((multivariate) =>
    fc
      .array(
        fc.record({
          properties: fc.array(condition, { maxLength: 3 }),
          rollout_percentage: share,
          variant: override(multivariate as JsonObject | null),
        }),
        { minLength: 1, maxLength: 4 },
      )
      .map((groups) => ({ groups, multivariate, aggregation_group_type_index: index }) as unknown as JsonObject),
  );

/** Creates flags through the API; some refer to cohorts, and some to other flags. */
async function makeFlags(seed: number, count: number): Promise<string[]> {
  const { post } = clientFor(server);
  const P = `/api/projects/${server.projectId}`;
  const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] => fc.sample(arbitrary, { seed, numRuns });
  const cohorts: number[] = [];
  for (const values of sample(fc.array(personCondition, { minLength: 1, maxLength: 2 }), 4)) {
    const properties = { type: 'OR', values: [{ type: 'AND', values }] };
    cohorts.push((await server.addCohort({ filters: { properties } })).id);
  }
  const inCohort = fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    value: fc.constantFrom(...cohorts),
  });
  const plain = [...sample(filtersOf(personCondition, null), count), ...sample(filtersOf(companyCondition, 0), 5)];
  const mixed = sample(filtersOf(fc.oneof(personCondition, inCohort as fc.Arbitrary<JsonObject>), null), 8);
  const keys: string[] = [];
  const ids: number[] = [];
  const make = async (filters: JsonObject): Promise<void> => {
    const key = `flag-${seed}-${keys.length}`;
    const { status, body } = await post(`${P}/feature_flags/`, { body: { key, filters } });
    expect([status, body]).toEqual([201, expect.anything()]);
    keys.push(key);
    ids.push(body.id);
  };
  for (const filters of [...plain, ...mixed]) await make(filters);
  const asksFlag = fc.constantFrom(...ids).chain((id) =>
    fc.record({
      key: fc.constant(String(id)),
      type: fc.constant('flag'),
      operator: fc.constant('flag_evaluates_to'),
      value: fc.constantFrom<boolean | string>(true, false, 'a'),
    }),
  );
  for (const filters of sample(filtersOf(fc.oneof(personCondition, asksFlag as fc.Arbitrary<JsonObject>), null), 5))
    await make(filters);
  return keys;
}

type Values = Record<string, boolean | string>;

const on = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== false));

/** The same request at every endpoint. */
async function remotely(body: object): Promise<Record<string, Values | string[]>> {
  const ask = async (path: string) => (await sendJson(server.url, path, { token: server.projectKey, ...body })).json;
  const ofDetails = (flags: Record<string, { enabled: boolean; variant: string | null }>): Values =>
    Object.fromEntries(Object.entries(flags).map(([key, { enabled, variant }]) => [key, variant ?? enabled]));
  return {
    'decide v1': [...(await ask('/decide/')).featureFlags].sort(),
    'decide v2': (await ask('/decide/?v=2')).featureFlags,
    'decide v3': (await ask('/decide/?v=3')).featureFlags,
    'decide v4': ofDetails((await ask('/decide/?v=4')).flags),
    'flags v1': (await ask('/flags/?v=1')).featureFlags,
    'flags v2': ofDetails((await ask('/flags/?v=2')).flags),
  };
}

/** The same request as OpenFeature's providers send it: for all flags, and for one. */
async function byOpenFeature(context: object, keys: readonly string[], one: string): Promise<[Values, unknown]> {
  const ask = async (path: string) =>
    (await sendJson(server.url, path, { context }, { authorization: `Bearer ${server.projectKey}` })).json;
  const { flags } = await ask('/ofrep/v1/evaluate/flags');
  const values = (flags as { key: string; value?: boolean | string }[])
    .filter(({ key }) => keys.includes(key))
    // A multivariate flag that is off has no value there: the default in the code applies.
    .map(({ key, value = false }) => [key, value]);
  const { value = false } = await ask(`/ofrep/v1/evaluate/flags/${one}`);
  return [Object.fromEntries(values), value];
}

it.each([1, 2, 3])('is the same everywhere for random flags and persons (%i)', async (seed) => {
  const keys = await makeFlags(seed, 25);
  await sdk.reloadFeatureFlags();
  const people = fc.sample(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      person,
      company,
      isIn: fc.boolean(),
    }),
    {
      seed,
      numRuns: 25,
    },
  );
  const seen = new Set<boolean | string>();
  for (const [turn, { id, person: personProperties, company: properties, isIn }] of people.entries()) {
    const groups: Record<string, string> = isIn ? { company: `company of ${id}` } : {};
    const local = (await sdk.getAllFlags(id, {
      groups,
      personProperties: personProperties as never,
      groupProperties: { company: properties as never },
      onlyEvaluateLocally: true,
    })) as Values;
    const values = Object.fromEntries(keys.map((key) => [key, local[key]])) as Values;
    for (const value of Object.values(values)) seen.add(value);
    const {
      'decide v1': list,
      'decide v2': active,
      ...whole
    } = await remotely({
      distinct_id: id,
      groups,
      person_properties: personProperties,
      group_properties: { company: properties },
      flag_keys: keys,
    });
    const expected = Object.fromEntries(Object.entries(values).sort());
    for (const [endpoint, remote] of Object.entries(whole)) {
      expect([endpoint, Object.fromEntries(Object.entries(remote).sort())]).toEqual([endpoint, expected]);
    }
    const one = keys[turn % keys.length] ?? '';
    const context = { targetingKey: id, ...personProperties, groups, groupProperties: { company: properties } };
    expect(await byOpenFeature(context, keys, one)).toEqual([values, values[one]]);
    expect(active).toEqual(on(values));
    expect(list).toEqual(Object.keys(on(values)).sort());
  }
  // If all values were the same, the test would prove nothing.
  expect(seen).toEqual(new Set([true, false, 'a', 'b', 'c']));
});
