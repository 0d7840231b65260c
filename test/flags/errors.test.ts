/** Every invalid flag is refused with its own code, message and field, and nothing is saved. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cohort } from '../../src/stores/metadata/cohorts.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
/** Ids of flags and cohorts, by the names used below. */
const ids: Record<string, number> = {};

const FLAGS = '/api/projects/1/feature_flags/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const make = async (key: string, body: object = {}) => {
    ids[key] = (await client.post(FLAGS, { body: { key, ...body } })).body.id;
  };
  await make('taken');
  await make('base');
  await make('disabled', { active: false });
  await make('gone', { deleted: true });
  await make('middle', on(dependsOn('base')));
  await make('top', on(dependsOn('middle')));
  const properties = (...values: object[]) => ({ properties: { type: 'OR', values: [{ type: 'AND', values }] } });
  const country = { type: 'person', key: 'country', value: 'US' };
  await cohort('by property', properties(country));
  await cohort('by event', properties(country, { type: 'behavioral', key: '$pageview', value: 'performed_event' }));
  await cohort('nested', properties({ type: 'cohort', key: 'id', value: ids['by event'] }));
  await cohort('old form', {}, { groups: [{ action_id: 3, days: 7 }] });
  await cohort('static', properties({ type: 'behavioral' }), { isStatic: true });
  await cohort('deleted', properties(country), { deleted: true });
});
afterAll(() => server.close());

async function cohort(name: string, filters: object, rest: Partial<Cohort> = {}): Promise<void> {
  const blank = { description: '', groups: [], isStatic: false, deleted: false, isCalculating: false, version: 1 };
  const unknown = { lastCalculation: null, errorsCalculating: 0, count: null, createdAt: 0, createdBy: null };
  const made = { projectId: 1, name, filters: filters as Cohort['filters'], ...blank, ...unknown, ...rest };
  ids[name] = (await server.metadata.cohorts.create(made)).id;
}

type Body = Record<string, unknown>;
const on = (...properties: object[]): Body => ({ filters: { groups: [{ properties }] } });
const person = (rest: Body): Body => ({ key: 'email', type: 'person', value: 'x', ...rest });
const dependsOn = (name: string, rest: Body = {}): Body => ({
  type: 'flag',
  key: String(ids[name] ?? name),
  operator: 'flag_evaluates_to',
  value: true,
  ...rest,
});
const inCohort = (name: string): Body => ({ type: 'cohort', key: 'id', value: ids[name], operator: 'in' });
const filters = (rest: Body): Body => ({ filters: { groups: [{}], ...rest } });
const variants = (...percentages: unknown[]): Body => ({
  multivariate: { variants: percentages.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })) },
});

const PERSONS = 'Filters are not valid (person-aggregated conditions can only use person, cohort, and flag properties)';
const GROUPS = 'Filters are not valid (group-aggregated conditions can only use group properties)';
const GROUP_TYPE = "Filters are not valid (group properties must match the condition set's group type)";
const SUM = 'Invalid variant definitions: Variant rollout percentages must sum to 100.';
const EVENTS = (name: string): string => `Cohort '${name}' with filters on events cannot be used in feature flags.`;
const inGroup = (rest: Body): Body => ({ aggregation_group_type_index: 0, groups: [{ properties: [rest] }] });
const SIZED = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] };
const TOO_MANY = Array.from({ length: 1001 }, (_, i) => `${i}`);

type Case = [name: string, body: () => unknown, code: string, detail: string, attr: string | null];
const F = 'filters';

const KEYS: Case[] = [
  ['no key', () => ({ key: undefined }), 'required', 'This field is required.', 'key'],
  ['an empty key', () => ({ key: '' }), 'blank', 'This field may not be blank.', 'key'],
  ['a key of spaces', () => ({ key: '  ' }), 'blank', 'This field may not be blank.', 'key'],
  ['null as key', () => ({ key: null }), 'null', 'This field may not be null.', 'key'],
  ['a taken key', () => ({ key: 'taken' }), 'unique', 'There is already a feature flag with this key.', 'key'],
  ...['a\tb', 'a\nb', 'a\u007fb', 'a\u0085b'].map(
    (key): Case => [
      `key ${JSON.stringify(key)}`,
      () => ({ key }),
      'invalid_key',
      'A key is text without control characters, such as line breaks.',
      'key',
    ],
  ),
  [
    'a key of 401 characters',
    () => ({ key: 'x'.repeat(401) }),
    'max_length',
    'Ensure this field has no more than 400 characters.',
    'key',
  ],
];

const FIELDS: Case[] = [
  ['null as name', () => ({ name: null }), 'null', 'This field may not be null.', 'name'],
  ['null as filters', () => ({ filters: null }), 'null', 'This field may not be null.', F],
  [
    'a list as filters',
    () => ({ filters: [] }),
    'not_a_dict',
    'Expected a dictionary of items but got type "list".',
    F,
  ],
  ['a word as active', () => ({ active: 'maybe' }), 'invalid_input', 'Must be a valid boolean.', 'active'],
  ['null as deleted', () => ({ deleted: null }), 'null', 'This field may not be null.', 'deleted'],
  ['a word as tags', () => ({ tags: 'a' }), 'not_a_list', 'Expected a list of items but got type "str".', 'tags'],
  ['null as a tag', () => ({ tags: [null] }), 'null', 'This field may not be null.', 'tags__0'],
  [
    'no date as created_at',
    () => ({ created_at: 'soon' }),
    'invalid_input',
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    'created_at',
  ],
  [
    'an unknown runtime',
    () => ({ evaluation_runtime: 'edge' }),
    'invalid_choice',
    '"edge" is not a valid choice.',
    'evaluation_runtime',
  ],
  [
    'devices beside continuity',
    () => ({ bucketing_identifier: 'device_id', ensure_experience_continuity: true }),
    'invalid_input',
    'A flag that is bucketed by device keeps its value anyway: ensure_experience_continuity cannot be set as well.',
    'bucketing_identifier',
  ],
  [
    'encrypted payloads',
    () => ({ has_encrypted_payloads: true }),
    'invalid_input',
    'Encrypted payloads are not supported: payloads are stored as they are sent.',
    'has_encrypted_payloads',
  ],
];

const SHAPES: Case[] = [
  ['groups that are no list', () => filters({ groups: 'x' }), 'invalid_input', 'groups must be a list, got str', F],
  [
    'a group that is no object',
    () => filters({ groups: [1] }),
    'invalid_input',
    'groups[0] must be an object, got int',
    F,
  ],
  [
    'properties that are no list',
    () => filters({ groups: [{ properties: {} }] }),
    'invalid_input',
    'groups[0].properties must be a list, got dict',
    F,
  ],
  [
    'a property that is no object',
    () => filters({ groups: [{ properties: [null] }] }),
    'invalid_input',
    'groups[0].properties[0] must be an object, got null',
    F,
  ],
  [
    'a kind of group that is none',
    () => filters({ aggregation_group_type_index: 5 }),
    'invalid_input',
    'aggregation_group_type_index must be a whole number from 0 to 4, or null',
    F,
  ],
  [
    'a rollout that is text',
    () => filters({ groups: [{ rollout_percentage: '50' }] }),
    'invalid_input',
    'groups[0].rollout_percentage must be a number or null, got str',
    F,
  ],
  ...[101, -0.5].map(
    (rollout_percentage): Case => [
      `a rollout of ${rollout_percentage}`,
      () => filters({ groups: [{}, { rollout_percentage }] }),
      'invalid_input',
      `groups[1].rollout_percentage must be between 0 and 100, got ${rollout_percentage}`,
      F,
    ],
  ),
];

const VARIANTS: Case[] = [
  [
    'a holdout that is a number',
    () => filters({ holdout: 5 }),
    'invalid_input',
    'holdout must be an object or null',
    F,
  ],
  ['variants that sum to 99', () => filters(variants(50, 49)), 'invalid_input', SUM, F],
  ['variants that sum to 101', () => filters(variants(50, 51)), 'invalid_input', SUM, F],
  [
    'a variant without a share',
    () => filters(variants(null)),
    'invalid_input',
    'multivariate.variants[0].rollout_percentage must be a number, got null',
    F,
  ],
  [
    'a variant beyond 100',
    () => filters(variants(200)),
    'invalid_input',
    'multivariate.variants[0].rollout_percentage must be between 0 and 100, got 200',
    F,
  ],
  [
    'a variant without a key',
    () => filters({ multivariate: { variants: [{ rollout_percentage: 100 }] } }),
    'invalid_input',
    'multivariate.variants[0].key must be a text that is not empty',
    F,
  ],
  [
    'a variant with a line break',
    () => filters({ multivariate: { variants: [{ key: 'a\nb', rollout_percentage: 100 }] } }),
    'invalid_input',
    'multivariate.variants[0].key may not contain control characters, such as line breaks',
    F,
  ],
  [
    'a variant with a very long key',
    () => filters({ multivariate: { variants: [{ key: 'x'.repeat(401), rollout_percentage: 100 }] } }),
    'invalid_input',
    'multivariate.variants[0].key must have no more than 400 characters',
    F,
  ],
  [
    'the same variant twice',
    () =>
      filters({ multivariate: { variants: [50, 50].map((rollout_percentage) => ({ key: 'a', rollout_percentage })) } }),
    'invalid_input',
    "Invalid variant definitions: there are two variants 'a'.",
    F,
  ],
  [
    'multivariate that is no object',
    () => filters({ multivariate: [] }),
    'invalid_input',
    'multivariate must be an object or null',
    F,
  ],
  [
    'an override that is no variant',
    () => filters({ ...variants(100), groups: [{ variant: 'v1' }] }),
    'invalid_input',
    'Filters are not valid (variant override does not exist)',
    F,
  ],
  [
    'payloads that are a list',
    () => filters({ payloads: [] }),
    'invalid_input',
    'Payloads must be passed as a dictionary',
    F,
  ],
  [
    'a payload for no variant',
    () => filters({ ...variants(100), payloads: { v0: 1, v1: 1 } }),
    'invalid_input',
    'Payload keys must match a variant key for multivariate flags',
    F,
  ],
  [
    'a payload for false',
    () => filters({ payloads: { false: 1 } }),
    'invalid_input',
    "Payload keys must be 'true' for boolean flags",
    F,
  ],
  [
    'a payload that is too large',
    () => filters({ payloads: { true: { text: 'é'.repeat(65 * 1024) } } }),
    'too_large',
    "The payload of 'true' is too large: up to 131072 bytes as JSON are possible.",
    F,
  ],
  [
    'a payload schema that is a text',
    () => filters({ payload_schema: 'object' }),
    'invalid_payload_schema',
    'payload_schema must be a JSON Schema (an object), or null for none.',
    F,
  ],
  [
    'a payload schema with a type that does not exist',
    () => filters({ payload_schema: { properties: { size: { type: 'text' } } } }),
    'invalid_payload_schema',
    'payload_schema.properties.size.type must be one of array, boolean, integer, null, number, object, string, or a list of different ones.',
    F,
  ],
  [
    'a payload schema that is elsewhere',
    () => filters({ payload_schema: { $ref: 'http://127.0.0.1/schema.json' } }),
    'invalid_payload_schema',
    'payload_schema.$ref must name a place in this schema, such as #/$defs/size: schemas elsewhere are not fetched. Copy them into $defs.',
    F,
  ],
  [
    'a payload schema that is too large',
    () => filters({ payload_schema: { enum: ['x'.repeat(65 * 1024)] } }),
    'too_large',
    'payload_schema may have up to 65536 bytes as JSON.',
    F,
  ],
  [
    'a payload that does not match the schema',
    () => filters({ payload_schema: SIZED, payloads: { true: '{"size":"large"}' } }),
    'payload_mismatch',
    'The payload does not match the payload_schema of the flag: payloads.true.size must be a number. Change the payload or the schema.',
    F,
  ],
  [
    'a payload of one variant that does not match the schema',
    () => filters({ ...variants(50, 50), payload_schema: SIZED, payloads: { v0: { size: 1 }, v1: 'plain text' } }),
    'payload_mismatch',
    'The payload does not match the payload_schema of the flag: payloads.v1 must be an object. Change the payload or the schema.',
    F,
  ],
  [
    'a payload that is nested too deeply to be checked',
    () => filters({ payload_schema: {}, payloads: { true: '['.repeat(500) + ']'.repeat(500) } }),
    'payload_mismatch',
    'The payload does not match the payload_schema of the flag: payloads.true is nested more than 100 levels deep. Change the payload or the schema.',
    F,
  ],
  [
    'a payload schema that takes too long',
    () => filters({ payload_schema: { $ref: '#' }, payloads: { true: 1 } }),
    'payload_mismatch',
    'The payload does not match the payload_schema of the flag: payloads.true cannot be checked: its schema refers to itself too often. Change the payload or the schema.',
    F,
  ],
  [
    'filters that are too large',
    () => filters({ groups: [{ description: 'x'.repeat(513 * 1024) }] }),
    'too_large',
    'The filters of a flag may have up to 524288 bytes as JSON. Put long lists of users into a static cohort.',
    F,
  ],
  [
    'too many groups',
    () => filters({ groups: Array.from({ length: 501 }, () => ({})) }),
    'too_large',
    'A flag takes up to 500 groups.',
    F,
  ],
];

const PROPERTIES: Case[] = [
  ['a property of events', () => on(person({ type: 'event' })), 'invalid_input', PERSONS, F],
  ['a property of nobody', () => on({ key: 'email', value: 'x' }), 'invalid_input', PERSONS, F],
  [
    'a property of a group, for persons',
    () => on(person({ type: 'group', group_type_index: 0 })),
    'invalid_input',
    PERSONS,
    F,
  ],
  ['a property of a person, for groups', () => ({ filters: inGroup(person({})) }), 'invalid_input', GROUPS, F],
  ['a cohort, for groups', () => ({ filters: inGroup(inCohort('by property')) }), 'invalid_input', GROUPS, F],
  [
    'a property of another group',
    () => ({ filters: inGroup(person({ type: 'group', group_type_index: 1 })) }),
    'invalid_input',
    GROUP_TYPE,
    F,
  ],
  [
    'a group in one condition of many',
    () => filters({ groups: [{ aggregation_group_type_index: 1, properties: [person({})] }] }),
    'invalid_input',
    GROUPS,
    F,
  ],
  [
    'a property without a name',
    () => on(person({ key: null })),
    'invalid_input',
    'A condition must name the property it compares as its key, got None',
    F,
  ],
  [
    'a list for a pattern',
    () => on(person({ operator: 'regex', value: ['@posthog.com'] })),
    'invalid_value',
    "Invalid value for operator regex: ['@posthog.com']",
    F,
  ],
  ...(
    [
      ['icontains', true, 'True'],
      ['not_icontains', null, 'None'],
      ['gt', [1, { a: "it's" }], "[1, {'a': 'it\\'s'}]"],
      ['lte', false, 'False'],
      ['between', [1], '[1]'],
      ['between', ['a', 2], "['a', 2]"],
      ['icontains_multi', 5, '5'],
      ['starts_with', 5, '5'],
      ['semver_gt', 5, '5'],
    ] as const
  ).map(
    ([operator, value, shown]): Case => [
      `${shown} for ${operator}`,
      () => on(person({ operator, value })),
      'invalid_value',
      `Invalid value for operator ${operator}: ${shown}`,
      F,
    ],
  ),
  ...(
    [
      ['(unclosed', 'It is no regular expression in the syntax of RE2 with look-around.'],
      [
        '(a)\\1',
        'Back-references are not supported, since their time has no bound: write the alternatives out, (a|b)\\1 as aa|bb.',
      ],
    ] as const
  ).map(
    ([value, why]): Case => [
      `the pattern ${value}`,
      () => on(person({ operator: 'not_regex', value })),
      'invalid_value',
      `Invalid value for operator not_regex: '${value}' is not a pattern that can be evaluated here. ${why}`,
      F,
    ],
  ),
  ...['next week', '10000d', '', '2023-13-01'].map(
    (value): Case => [
      `the date '${value}'`,
      () => on(person({ operator: 'is_date_before', value })),
      'invalid_date',
      `Invalid date value: ${value}`,
      F,
    ],
  ),
  ...['in', 'not_in'].map(
    (operator): Case => [
      `${operator} on a person`,
      () => on(person({ operator })),
      'invalid_operator',
      `The '${operator}' operator is only valid for cohort properties, not 'person' properties.`,
      F,
    ],
  ),
  [
    'flag_evaluates_to on a person',
    () => on(person({ operator: 'flag_evaluates_to' })),
    'invalid_operator',
    "The 'flag_evaluates_to' operator is only valid for flag properties, not 'person' properties.",
    F,
  ],
  ['an unknown operator', () => on(person({ operator: 'like' })), 'invalid_operator', 'Invalid operator: like', F],
  ['an operator that is a number', () => on(person({ operator: 5 })), 'invalid_operator', 'Invalid operator: 5', F],
  [
    'an operator of paths',
    () => on(person({ operator: 'is_cleaned_path_exact' })),
    'unsupported_operator',
    'Unsupported operator for feature flags: is_cleaned_path_exact',
    F,
  ],
  [
    'too many values',
    () => on(person({ value: TOO_MANY })),
    'invalid_input',
    'Property group expressions of type email cannot contain more than 1000 values.',
    F,
  ],
  [
    'a bad property of early access',
    () => filters({ super_groups: [{ properties: [person({ operator: 'like' })] }] }),
    'invalid_operator',
    'Invalid operator: like',
    F,
  ],
];

const REFERENCES: Case[] = [
  [
    'an unknown cohort',
    () => on({ ...inCohort(''), value: 5151 }),
    'cohort_does_not_exist',
    'Cohort with id 5151 does not exist',
    F,
  ],
  [
    'a cohort that is no number',
    () => on({ ...inCohort(''), value: 'x' }),
    'cohort_does_not_exist',
    'Cohort with id x does not exist',
    F,
  ],
  ['a deleted cohort', () => on(inCohort('deleted')), 'cohort_does_not_exist', 'Cohort with id 6 does not exist', F],
  ['a cohort by event', () => on(inCohort('by event')), 'behavioral_cohort_found', EVENTS('by event'), F],
  ['a cohort of such a cohort', () => on(inCohort('nested')), 'behavioral_cohort_found', EVENTS('by event'), F],
  ['a cohort in the old form', () => on(inCohort('old form')), 'behavioral_cohort_found', EVENTS('old form'), F],
  [
    'a cohort compared',
    () => on({ ...inCohort('by property'), operator: 'gt' }),
    'invalid_operator',
    "Cohort properties must use the 'in' or 'not_in' operator",
    F,
  ],
  [
    'a flag compared',
    () => on(dependsOn('base', { operator: 'exact' })),
    'invalid_input',
    "Flag properties must use the 'flag_evaluates_to' operator",
    F,
  ],
  [
    'a flag by its key',
    () => on(dependsOn('x', { key: 'x' })),
    'invalid_input',
    "Flag dependencies must reference flag IDs (integers), not flag keys. Invalid reference: 'x'",
    F,
  ],
  [
    'a flag that evaluates to null',
    () => on(dependsOn('base', { value: null })),
    'invalid_value',
    'Invalid value for operator flag_evaluates_to: None. Use true, false or the key of a variant.',
    F,
  ],
  [
    'an unknown flag',
    () => on(dependsOn('999')),
    'invalid_input',
    'Flag dependency references non-existent flag with ID 999',
    F,
  ],
  [
    'a deleted flag',
    () => on(dependsOn('gone')),
    'invalid_input',
    'Flag dependency references non-existent flag with ID 4',
    F,
  ],
  [
    'a disabled flag',
    () => on(dependsOn('disabled')),
    'invalid_input',
    "Cannot create dependency on disabled flag 'disabled' (ID: 3). Flag dependencies must reference active flags only.",
    F,
  ],
];

const refusal = (code: string, detail: string, attr: string | null) => [
  400,
  { type: 'validation_error', code, detail, attr },
];
const written = () => server.rows('select id, version, filters, key from feature_flags order by id');

describe.each<[string, Case[]]>([
  ['keys', KEYS],
  ['fields', FIELDS],
  ['shapes', SHAPES],
  ['variants and payloads', VARIANTS],
  ['properties', PROPERTIES],
  ['references', REFERENCES],
])('%s', (_room, cases) => {
  it.each(cases)('%s is refused when a flag is created', async (_name, body, code, detail, attr) => {
    const before = await written();
    const answer = await client.post(FLAGS, { body: { key: 'new', ...(body() as Body) } });
    expect([answer.status, answer.body]).toEqual(refusal(code, detail, attr));
    expect(await written()).toEqual(before);
  });

  it.each(cases.filter(([name]) => name !== 'no key'))(
    '%s is refused when a flag is changed',
    async (_name, body, code, detail, attr) => {
      const before = await written();
      const answer = await client.patch(`${FLAGS}${ids['base']}/`, { body: body() });
      expect([answer.status, answer.body]).toEqual(refusal(code, detail, attr));
      expect(await written()).toEqual(before);
    },
  );
});

describe('only when a flag is created', () => {
  it.each([[{ payloads: {} }], [{ groups: null }]])('groups are required: %j', async (given) => {
    const answer = await client.post(FLAGS, { body: { key: 'new', filters: given } });
    const detail = 'Feature flags must have at least one condition set (group).';
    expect([answer.status, answer.body]).toEqual(refusal('invalid_input', detail, F));
  });
});

describe('flags that depend on each other', () => {
  const patch = async (name: string, body: Body) => {
    const { status, body: answer } = await client.patch(`${FLAGS}${ids[name]}/`, { body });
    return [status, answer.detail, answer.attr];
  };

  it('do not form a cycle', async () => {
    const circle = 'Circular dependency detected: base → top → middle → base';
    expect(await patch('base', on(dependsOn('base')))).toEqual([400, "Feature flag 'base' cannot depend on itself", F]);
    expect(await patch('base', on(dependsOn('top')))).toEqual([400, circle, F]);
  });

  it('cannot be deleted or disabled while others depend on them', async () => {
    const why = (verb: string) =>
      `Cannot ${verb} this feature flag because other flags depend on it: middle (ID: ${ids['middle']}). Change them first.`;
    expect(await patch('base', { deleted: true })).toEqual([400, why('delete'), null]);
    expect(await patch('base', { active: false })).toEqual([400, why('disable'), null]);
    expect((await patch('base', { name: 'of course' }))[0]).toBe(200);
    expect((await patch('top', { active: false }))[0]).toBe(200);
    // No active flag depends on it any more, but an inactive one does.
    expect((await patch('middle', { active: false }))[0]).toBe(200);
    expect((await patch('middle', { deleted: true }))[0]).toBe(400);
    // References are checked again when a flag is enabled.
    const disabled = `Cannot create dependency on disabled flag 'middle' (ID: ${ids['middle']}). Flag dependencies must reference active flags only.`;
    expect(await patch('top', { active: true })).toEqual([400, disabled, F]);
    expect((await patch('middle', { active: true }))[0]).toBe(200);
    expect((await patch('top', { active: true }))[0]).toBe(200);
  });
});

describe('valid flags', () => {
  it.each<[string, () => Body]>([
    ['its own key', () => ({ key: 'base' })],
    ['no name', () => ({ name: '' })],
    ['a static cohort, whatever its criteria', () => on(inCohort('static'))],
    ['a cohort by its text id, excluded', () => on({ ...inCohort(''), value: '1', operator: 'not_in' })],
    ['a cohort without an operator', () => on({ type: 'cohort', key: 'id', value: ids['by property'] })],
    ['a number to compare with', () => on(person({ operator: 'gt', value: 5 }))],
    ['a payload as its schema says', () => filters({ payload_schema: SIZED, payloads: { true: '{"size":2}' } })],
    ['a payload schema without payloads', () => filters({ payload_schema: SIZED })],
    ['no payload schema', () => filters({ payload_schema: null, payloads: { true: 'text' } })],
    ['a range', () => on(person({ operator: 'between', value: [1, '2.5'] }))],
    [
      'dates',
      () =>
        on(
          ...['-7d', '2m', '2023-01-31', '2023-01-31T10:00:00+02:00'].map((value) =>
            person({ operator: 'is_date_after', value }),
          ),
        ),
    ],
    ['a pattern with flags', () => on(person({ operator: 'regex', value: '(?i)^a+$' }))],
    ['nothing to compare with', () => on(person({ operator: 'is_set', value: undefined }))],
    ['a thousand values', () => on(person({ value: TOO_MANY.slice(1) }))],
    ['a property of the right group', () => ({ filters: inGroup(person({ type: 'group', group_type_index: 0 })) })],
    [
      'groups in one condition and persons in the next',
      () => ({
        filters: {
          groups: [
            { aggregation_group_type_index: 0, properties: [person({ type: 'group', group_type_index: 0 })] },
            { aggregation_group_type_index: null, properties: [person({})] },
          ],
        },
      }),
    ],
    ['no variants in a list of them', () => filters({ multivariate: { variants: [] } })],
    [
      'a variant that is no word of ours',
      () => filters({ ...variants(100), groups: [{ variant: 'v0' }, { variant: null }] }),
    ],
    ['null as payloads', () => filters({ payloads: null })],
    ['null as continuity', () => ({ ensure_experience_continuity: null })],
  ])('%s', async (_name, body) => {
    expect((await client.patch(`${FLAGS}${ids['base']}/`, { body: body() })).status).toBe(200);
  });
});

describe('ids', () => {
  it.each(['0', '999999', '-1', '1.5', 'x', '99999999999999999999'])('%s is not found', async (id) => {
    for (const answer of [
      await client.get(`${FLAGS}${id}/`),
      await client.patch(`${FLAGS}${id}/`, { body: {} }),
      await client.put(`${FLAGS}${id}/`, { body: { key: 'x' } }),
    ]) {
      const notFound = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };
      expect([answer.status, answer.body]).toEqual([404, notFound]);
    }
  });
});
