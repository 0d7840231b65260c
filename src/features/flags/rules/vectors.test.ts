/** Recorded cases of flag evaluation. Each must hold, or be listed with the reason why it does not. */
import { expect, it } from 'vitest';
import { flagOf, subjectOf } from '../../../../test/support/flag-definitions.ts';
import { describeVectors } from '../../../../test/support/vectors.ts';
import { bucket, encodeKey } from './bucket.ts';
import { parseFlagDate } from './compile/flag-dates.ts';
import { prepareFlags } from './compile/prepare-flags.ts';
import { parseVersion } from './compile/versions.ts';
import { evaluate } from './evaluate/evaluate.ts';
import type { CohortDefinition, FlagDefinition } from './flag.ts';
import type { FlagEvaluation } from './flag-evaluation.ts';

type Values = Record<string, unknown>;

interface Wire {
  flags: Values[];
  cohorts?: Record<string, unknown>;
  group_type_mapping?: Record<string, string>;
}

const cohortsOf = (cohorts: Record<string, unknown> = {}): CohortDefinition[] =>
  Object.entries(cohorts).map(([id, properties]) => ({
    id: Number(id),
    isStatic: false,
    filters: { properties },
    groups: [],
  }));

/** SDKs are sent the keys of flags that others depend on; stored are their ids. */
function withIds(flags: readonly Values[]): FlagDefinition[] {
  const ids = new Map(flags.map((flag, index) => [flag['key'], Number(flag['id'] ?? index + 1)]));
  const text = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_key, part) =>
      part?.type === 'flag' ? { ...part, key: String(ids.get(part.key) ?? 0) } : part,
    );
  return flags.map((flag, index) =>
    flagOf({
      id: Number(flag['id'] ?? index + 1),
      key: String(flag['key']),
      active: flag['active'] !== false,
      filters: text(flag['filters']),
      ensureExperienceContinuity: flag['ensure_experience_continuity'] === true,
      bucketingIdentifier: flag['bucketing_identifier'] === 'device_id' ? 'device_id' : 'distinct_id',
    }),
  );
}

interface Asker {
  distinct_id: string;
  person_properties?: Values;
  groups?: Record<string, string>;
  group_properties?: Record<string, Values>;
  device_id?: string;
}

function evaluateWire(wire: Wire, asker: Asker, only?: string): Map<string, FlagEvaluation> {
  const types = new Map(Object.entries(wire.group_type_mapping ?? {}).map(([index, name]) => [Number(index), name]));
  const prepared = prepareFlags({ flags: withIds(wire.flags), cohorts: cohortsOf(wire.cohorts), groupTypes: types });
  const groups = [...types].flatMap(([index, name]) => {
    const key = asker.groups?.[name];
    return key === undefined ? [] : [[index, { key, properties: asker.group_properties?.[name] ?? {} }] as const];
  });
  const subject = subjectOf({
    distinctId: asker.distinct_id,
    deviceId: asker.device_id ?? (asker.person_properties?.['$device_id'] as string) ?? null,
    properties: asker.person_properties ?? {},
    groups: new Map(groups),
  });
  const results = evaluate(prepared, subject, only === undefined ? undefined : new Set([only]));
  return new Map(results.map((result) => [result.key, result]));
}

interface ConsistencyVectors {
  flag: Values;
  expected: Record<string, boolean | string>;
}

for (const file of ['consistency-simple-flag.json', 'consistency-multivariate-flag.json']) {
  describeVectors<ConsistencyVectors>('published values', file, ({ flag, expected }) => {
    it(`of ${file}`, () => {
      const values = Object.keys(expected).map((id) => [
        id,
        evaluateWire({ flags: [flag] }, { distinct_id: id }).get(String(flag['key']))?.value,
      ]);
      expect(Object.fromEntries(values)).toEqual(expected);
      expect(values.length).toBeGreaterThan(400);
    });
  });
}

interface HashVectors {
  rows: { key: string; identifier: string; [part: string]: { value: number } | string }[];
}

describeVectors<HashVectors>('published hashes', 'hash-vectors.json', ({ rows }) => {
  it.each(rows)('of $key for $identifier', ({ key, identifier, ...parts }) => {
    expect({ value: bucket(encodeKey(`${key}.`), identifier, '') }).toMatchObject(only(parts['rollout']));
    expect({ value: bucket(encodeKey(`${key}.`), identifier, 'variant') }).toMatchObject(only(parts['variant']));
    expect({ value: bucket(encodeKey('holdout-'), identifier, '') }).toMatchObject(only(parts['holdout']));
  });
});

const only = (part: { value: number } | string | undefined): object =>
  typeof part === 'object' ? { value: part.value } : {};

interface LocalCase extends Asker, Wire {
  id: string;
  call: string;
  flag_key: string | null;
  flag_keys?: string[];
  match_value?: unknown;
  assert: 'equal' | 'truthy' | 'falsy' | 'none';
  expected: unknown;
  kind: string;
  derived_server_result?: unknown;
  test: string;
}

/** What an SDK's own test asserts that is no statement about a server. */
const LOCAL_NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'le-111': 'asks for the payload of another value than the flag has: `match_value` is an argument of SDKs',
  'le-115': 'the same',
  'le-199': 'the expected value is the answer of a mocked server that knows the static cohort',
  'le-163': 'the same',
  'le-117': 'bucketing_identifier stands inside filters, where no server writes it: bucketed by distinct_id',
};

describeVectors<{ cases: LocalCase[] }>('local evaluation cases', 'local-eval-cases.json', ({ cases }) => {
  const followed = cases.filter(({ id }) => !(id in LOCAL_NOT_FOLLOWED));
  const failing = new Map([
    ['le-055', 'it depends on itself'],
    ['le-029', 'cohort 98 does not exist'],
    ['le-165', 'cohort 98 does not exist'],
  ]);

  it.each(followed.map((one) => [one.id, one.kind, one.test, one] as const))('%s (%s): %s', (id, _kind, _test, one) => {
    const results = evaluateWire(one, one, one.flag_key ?? undefined);
    const result = one.flag_key === null ? undefined : results.get(one.flag_key);
    if (failing.has(id)) return expect(result?.failure).toContain(failing.get(id));
    const actual = actualOf(one, results, result);
    if (one.derived_server_result !== undefined) return expect(actual).toEqual(one.derived_server_result);
    if (one.assert === 'equal') return expect(actual ?? null).toEqual(one.expected);
    return expect(Boolean(actual)).toBe(one.assert === 'truthy');
  });

  const actualOf = (one: LocalCase, results: Map<string, FlagEvaluation>, result: FlagEvaluation | undefined) => {
    if (one.call === 'get_all_flags') {
      // Inactive flags are absent here; an SDK gives false.
      const inactive = one.flags.filter(({ active }) => active === false).map(({ key }) => [key, false]);
      const values = [...results].filter(([key]) => one.flag_keys?.includes(key) ?? true).map(valuePair);
      return Object.fromEntries([...values, ...inactive]);
    }
    if (one.call !== 'get_feature_flag_payload') return result?.value;
    return typeof result?.payload === 'string' ? parsed(result.payload) : result?.payload;
  };
  const valuePair = ([key, { value }]: [string, FlagEvaluation]) => [key, value];
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
});

interface MatchCase {
  id?: string;
  property: Values;
  properties: Values;
  now?: string;
  derived_server_result?: boolean | null;
  derived_current_server_result?: boolean;
}

function matches({ property, properties, now }: MatchCase): boolean | string {
  const flag = flagOf({ filters: { groups: [{ properties: [{ type: 'person', ...property }] }] } });
  const at = now === undefined ? {} : { now: Date.parse(now) };
  const [result] = evaluate(prepareFlags({ flags: [flag], cohorts: [], groupTypes: new Map() }), {
    ...subjectOf({ properties, ...at }),
  });
  return result?.failure ?? result?.value ?? 'nothing';
}

describeVectors<{ cases: MatchCase[] }>('single conditions', 'match-property-cases.json', ({ cases }) => {
  const decided = cases.filter(({ derived_server_result }) => typeof derived_server_result === 'boolean');

  it('are all decided but for one date in a year that no calendar has', () => {
    expect(cases.filter((one) => !decided.includes(one)).map(({ id }) => id)).toEqual(['mp-467']);
  });
  it.each(decided.map((one) => [one.id, JSON.stringify([one.property, one.properties]), one] as const))(
    '%s: %s',
    (_id, _text, one) => expect(matches(one)).toBe(one.derived_server_result),
  );
});

describeVectors<{ cases: MatchCase[] }>('conditions of a server', 'server-match-property-cases.json', ({ cases }) => {
  it.each(cases.map((one) => [JSON.stringify([one.property, one.properties]), one] as const))('%s', (_text, one) =>
    expect(matches(one)).toBe(one.derived_current_server_result),
  );
});

interface DateVectors {
  cases: { input: string; now: string; expected: string | null }[];
}

describeVectors<DateVectors>('relative dates', 'relative-date-cases.json', ({ cases }) => {
  it.each(cases)('$input at $now is $expected', ({ input, now, expected }) => {
    const date = parseFlagDate(input)?.(Date.parse(now));
    expect(date === undefined ? null : new Date(date).toISOString()).toBe(expected);
  });
});

interface VersionVectors {
  cases: { input: string; expected: number[] | 'inconclusive' }[];
}

describeVectors<VersionVectors>('versions', 'semver-parse-cases.json', ({ cases }) => {
  /** SDKs refuse leading zeros and cut what comes after the third number; the server does neither. */
  const differing: Readonly<Record<string, readonly number[] | null>> = {
    '1.2.3.4': null,
    '01.02.03': [1, 2, 3],
    '001.2.3': [1, 2, 3],
  };
  it.each(cases)('$input is $expected', ({ input, expected }) => {
    const wanted = input in differing ? differing[input] : expected === 'inconclusive' ? null : expected;
    expect(parseVersion(input)?.core ?? null).toEqual(wanted);
  });
});

interface CohortCase {
  property?: Values;
  property_group?: unknown;
  properties: Values;
  cohorts: Record<string, unknown>;
  expected: boolean | 'requires_server';
}

describeVectors<{ cases: CohortCase[] }>('cohorts', 'cohort-cases.json', ({ cases }) => {
  it.each(cases.map((one) => [JSON.stringify(one.property ?? one.property_group), one] as const))(
    '%s',
    (_text, one) => {
      const { property = { key: 'id', type: 'cohort', value: 7 }, property_group, properties, expected } = one;
      const flags = [{ key: 'flag', filters: { groups: [{ properties: [property] }] } }];
      const cohorts = { ...one.cohorts, ...(property_group === undefined ? {} : { 7: property_group }) };
      const result = evaluateWire({ flags, cohorts }, { distinct_id: 'a', person_properties: properties }).get('flag');
      if (expected === 'requires_server') expect(result?.failure).not.toBeNull();
      else expect(result).toMatchObject({ value: expected, failure: null });
    },
  );
});

interface DecideCase extends Wire {
  name: string;
  version: number;
  persons: Record<string, Values>;
  distinct_id: string;
  expected: Values;
}

interface ContinuityCase extends Wire {
  steps: { request?: { distinct_id: string }; expected?: Values }[];
}

interface ReasonCases extends Wire {
  persons: { p: { distinct_ids: string[]; properties: Values } };
  cases: {
    query: { distinct_id: string; groups?: string };
    expected: Record<string, { value: unknown; evaluation: { reason: string; condition_index: number | null } }>;
  }[];
}

interface DecideVectors {
  decide: DecideCase[];
  experience_continuity: ContinuityCase;
  evaluation_reasons: ReasonCases;
}

describeVectors<DecideVectors>('decide cases', 'decide-cases.json', (vectors) => {
  const { decide, experience_continuity: continuity, evaluation_reasons: reasons } = vectors;

  it.each(decide)('$name', (one) => {
    const person = one.persons[one.distinct_id] ?? {};
    const results = evaluateWire(one, { distinct_id: one.distinct_id, person_properties: person });
    const values = [...results].map(([key, { value }]) => [key, value] as const);
    const shown = Object.fromEntries(one.version < 3 ? values.filter(([, value]) => value !== false) : values);
    for (const [path, wanted] of Object.entries(one.expected)) {
      const [field, key] = path.split('.');
      if (field === 'featureFlags_contains')
        expect(Object.keys(shown)).toEqual(expect.arrayContaining(wanted as string[]));
      else if (field === 'errorsWhileComputingFlags') expect(isAnyFailed(results)).toBe(wanted);
      else if (field === 'featureFlagPayloads') expect(results.get(key ?? '')?.payload).toEqual(wanted);
      else expect(key === undefined ? shown : shown[key]).toEqual(wanted);
    }
  });
  const isAnyFailed = (results: Map<string, FlagEvaluation>): boolean =>
    [...results.values()].some(({ failure }) => failure !== null);

  it('keeps the values of a person who is identified', () => {
    const { flags, steps } = continuity;
    const prepared = prepareFlags({ flags: withIds(flags), cohorts: [], groupTypes: new Map() });
    const kept = new Map(flags.map(({ key }) => [String(key), 'example_id']));
    // For the request with both identifiers, and again once the person has both.
    const isKept = [false, true, false, undefined, true];
    for (const [index, { request, expected }] of steps.entries()) {
      if (request === undefined) continue;
      const overrides = isKept[index] ? kept : new Map();
      const results = evaluate(prepared, subjectOf({ distinctId: request.distinct_id, overrides }));
      expect(Object.fromEntries(results.map(({ key, value }) => [key, value]))).toMatchObject(expected ?? {});
    }
    expect(steps.length).toBe(5);
  });

  it.each(reasons.cases)('reasons for $query.distinct_id', ({ query, expected }) => {
    const { p } = reasons.persons;
    const results = evaluateWire(reasons, {
      distinct_id: query.distinct_id,
      groups: JSON.parse(query.groups ?? '{}'),
      person_properties: p.distinct_ids.includes(query.distinct_id) ? p.properties : {},
    });
    const active = Object.entries(expected).filter(([, { evaluation }]) => evaluation.reason !== 'disabled');
    expect(results.size).toBe(active.length);
    for (const [key, { value, evaluation }] of active) {
      const { reason, condition_index: conditionIndex } = evaluation;
      expect(results.get(key), key).toMatchObject({ value, reason, conditionIndex, failure: null });
    }
  });
});
