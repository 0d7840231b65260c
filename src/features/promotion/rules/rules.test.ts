import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { toPortableCohort } from './portable-cohort.ts';
import { FLAG_PARTS, normalizeFilters, type PortableFlag, takeParts, toPortableFlag } from './portable-flag.ts';
import { type IdsByName, identityConditions, idsToNames, type NamesById, namesToIds } from './references.ts';

const names = (shift: number): NamesById => ({
  cohort: new Map([
    [1 + shift, 'Beta'],
    [2 + shift, 'Staff'],
  ]),
  flag: new Map([
    [3 + shift, 'checkout'],
    [4 + shift, 'search'],
  ]),
  action: new Map([[5 + shift, 'Signed up']]),
  group_type: new Map([
    [0, shift === 0 ? 'company' : 'office'],
    [1, shift === 0 ? 'office' : 'company'],
  ]),
});
const inverse = (all: NamesById): IdsByName =>
  Object.fromEntries(
    Object.entries(all).map(([kind, map]) => [kind, new Map([...map].map(([id, name]) => [name, [id]]))]),
  ) as unknown as IdsByName;
const [HERE, THERE] = [names(0), names(100)];

const property = fc.oneof(
  fc.record({ type: fc.constant('person'), key: fc.string(), value: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ type: fc.constant('cohort'), key: fc.constant('id'), value: fc.constantFrom(1, 2) }),
  fc.record({ type: fc.constant('flag'), key: fc.constantFrom('3', '4'), value: fc.boolean() }),
  fc.record({ type: fc.constant('group'), key: fc.string(), group_type_index: fc.constantFrom(0, 1) }),
  fc.record({ type: fc.constant('behavioral'), event_type: fc.constant('actions'), key: fc.constant('5') }),
);
const anyFilters = fc.record({
  groups: fc.array(fc.record({ properties: fc.array(property), rollout_percentage: fc.nat(100) })),
  payloads: fc.constantFrom({ true: { type: 'cohort', value: 1, group_type_index: 0 } }, {}),
  aggregation_group_type_index: fc.constantFrom(null, 0, 1),
}) as unknown as fc.Arbitrary<JsonObject>;

describe('references', () => {
  it('come back the same in their own project, and with the ids of another one there', () => {
    fc.assert(
      fc.property(anyFilters, (filters) => {
        const portable = idsToNames(filters, HERE);
        expect(namesToIds(portable, inverse(HERE)).value).toEqual(filters);
        const there = namesToIds(portable, inverse(THERE));
        expect(there.references.every(({ id }) => id !== null)).toBe(true);
        expect(idsToNames(there.value, THERE)).toEqual(portable);
        expect((there.value as JsonObject)['payloads']).toEqual(filters['payloads']);
      }),
    );
  });

  it('are shown with a number where what they mean was deleted, and are missing elsewhere', () => {
    const filters = { groups: [{ properties: [{ type: 'cohort', key: 'id', value: 9 }] }] };
    const portable = idsToNames(filters, HERE);
    expect(portable).toEqual({ groups: [{ properties: [{ type: 'cohort', key: 'id', cohort: '#9' }] }] });
    expect(namesToIds(portable, inverse(THERE)).references).toEqual([
      { kind: 'cohort', name: '#9', id: null, found: 0 },
    ]);
  });

  it('are not guessed where a name is not unique', () => {
    const ids = { ...inverse(THERE), cohort: new Map([['Beta', [7, 8]]]) };
    const { value, references } = namesToIds([{ type: 'cohort', cohort: 'Beta' }], ids);
    expect(references).toEqual([{ kind: 'cohort', name: 'Beta', id: null, found: 2 }]);
    expect(value).toEqual([{ type: 'cohort', cohort: 'Beta' }]);
  });

  it('of old cohorts are found in their old form', () => {
    const old = { name: 'Old', description: '', isStatic: false, filters: {}, groups: [{ action_id: 5, days: 7 }] };
    expect(JSON.stringify(toPortableCohort(old, HERE).filters)).toContain('"action":"Signed up"');
  });

  it('to persons are named', () => {
    const conditions = [
      { key: 'distinct_id', type: 'person', value: 'u1' },
      { key: '$user_id', value: ['u2'] },
      { key: 'email', type: 'person', value: 'a@example.org' },
      { key: 'id', type: 'cohort', value: 1 },
    ];
    expect(identityConditions(conditions)).toEqual([
      { key: 'distinct_id', value: 'u1' },
      { key: '$user_id', value: ['u2'] },
    ]);
  });
});

const portable = (more: Partial<PortableFlag>): PortableFlag => ({
  key: 'a',
  name: '',
  active: true,
  filters: { groups: [] },
  tags: [],
  ensure_experience_continuity: false,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  is_remote_configuration: false,
  rollback_conditions: null,
  ...more,
});

describe('a portable flag', () => {
  it.each<[JsonObject, JsonObject]>([
    [{}, { groups: [{}] }],
    [{ groups: [{ properties: [], rollout_percentage: null, variant: null }] }, { groups: [{}] }],
    [{ groups: [], multivariate: { variants: [] }, payloads: {} }, { groups: [] }],
    [
      { groups: [], payload_schema: { required: [], properties: { b: { const: null }, a: {} } } },
      { groups: [], payload_schema: { properties: { a: {}, b: { const: null } }, required: [] } },
    ],
    [{ groups: [], payload_schema: null }, { groups: [] }],
    [{ groups: [{ properties: [{ key: 'a', value: [] }] }] }, { groups: [{ properties: [{ key: 'a', value: [] }] }] }],
  ])('is the same in all spellings: %j', (stored, expected) => {
    expect(normalizeFilters(stored)).toEqual(expected);
    expect(normalizeFilters(expected)).toEqual(expected);
  });

  it('has nothing of the holdouts of its project', () => {
    const stored = {
      ...portable({}),
      filters: { groups: [], holdout: { id: 1, exclusion_percentage: 5 }, holdout_groups: [{}] },
      ensureExperienceContinuity: false,
      evaluationRuntime: 'all' as const,
      bucketingIdentifier: 'distinct_id' as const,
      isRemoteConfiguration: false,
      rollbackConditions: null,
    };
    expect(toPortableFlag(stored, HERE).filters).toEqual({ groups: [] });
  });

  it('is taken over in parts: all of them make it the same, none leave the other as it is', () => {
    const variants = { variants: [{ key: 'x', rollout_percentage: 100 }] };
    const source = portable({ name: 'new', tags: ['t'], filters: { groups: [{}], multivariate: variants } });
    const typed = portable({ filters: { groups: [{}], payload_schema: { type: 'number' } } });
    const target = portable({ name: 'old', active: false, filters: { groups: [], payloads: { true: 1 } } });
    expect(takeParts(source, target, FLAG_PARTS)).toEqual(source);
    expect(takeParts(source, target, [])).toEqual(target);
    expect(takeParts(typed, target, ['payloads']).filters).toEqual({ groups: [], payload_schema: { type: 'number' } });
    expect(takeParts(typed, target, ['conditions']).filters).toEqual({ groups: [{}], payloads: { true: 1 } });
    expect(takeParts(source, target, ['variants'])).toEqual({
      ...target,
      filters: { groups: [], payloads: { true: 1 }, multivariate: variants },
    });
    expect(takeParts(source, null, ['details'])).toMatchObject({ name: 'new', active: false, filters: { groups: [] } });
  });
});
