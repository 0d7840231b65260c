import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../core/json/json.ts';
import { prepareFlags } from '../compile/prepare-flags.ts';
import type { Subject } from '../subject.ts';
import { evaluate } from './evaluate.ts';
import { openFeatureReason, openFeatureValue } from './open-feature.ts';

const SUBJECT: Subject = {
  distinctId: 'ada',
  deviceId: null,
  properties: { plan: 'pro' },
  groups: new Map(),
  staticCohorts: new Set(),
  overrides: new Map(),
  now: 0,
};

function reasonFor(filters: JsonObject): string {
  const flag = {
    id: 1,
    key: 'flag',
    active: true,
    version: 1,
    filters,
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all' as const,
    bucketingIdentifier: 'distinct_id' as const,
  };
  const prepared = prepareFlags({ flags: [flag], cohorts: [], groupTypes: new Map([[0, 'company']]) });
  const [evaluation] = evaluate(prepared, SUBJECT);
  const made = prepared.byKey.get('flag');
  if (!evaluation || !made) throw new Error('There is no such flag');
  return openFeatureReason(evaluation, made);
}

const plan = (value: string): JsonObject => ({ key: 'plan', type: 'person', operator: 'exact', value });
const VARIANTS = { variants: [{ key: 'a', rollout_percentage: 100 }] };

describe('the reason', () => {
  it.each<[string, string, JsonObject]>([
    ['STATIC', 'for everybody', { groups: [{}] }],
    ['STATIC', 'for all of everybody', { groups: [{ properties: [], rollout_percentage: 100 }] }],
    ['STATIC', 'the same variant for everybody', { groups: [{ variant: 'a' }], multivariate: VARIANTS }],
    ['TARGETING_MATCH', 'for those of a kind', { groups: [{ properties: [plan('pro')] }] }],
    ['TARGETING_MATCH', 'for the others', { groups: [{ properties: [plan('free')] }, {}] }],
    ['TARGETING_MATCH', 'a person said so', { groups: [], super_groups: [{ properties: [plan('pro')] }] }],
    ['SPLIT', 'a share that holds them', { groups: [{ rollout_percentage: 99.999 }] }],
    ['SPLIT', 'a share that does not', { groups: [{ rollout_percentage: 0 }] }],
    ['SPLIT', 'a variant by place', { groups: [{}], multivariate: VARIANTS }],
    ['DEFAULT', 'for nobody like them', { groups: [{ properties: [plan('free')] }] }],
    ['DEFAULT', 'for groups, of which they named none', { groups: [{}], aggregation_group_type_index: 0 }],
    ['DEFAULT', 'for nobody', { groups: [] }],
    ['ERROR', 'a definition that says nothing', { groups: 'all' }],
  ])('is %s: %s', (reason, _name, filters) => {
    expect(reasonFor(filters)).toBe(reason);
  });
});

describe('the value', () => {
  it.each<[string, Parameters<typeof openFeatureValue>, unknown]>([
    ['a boolean', [{ value: true, payload: '{"a":1}' }, 'boolean'], true],
    ['a boolean that is off', [{ value: false, payload: undefined }, 'boolean'], false],
    ['a variant', [{ value: 'a', payload: '{"a":1}' }, 'variant'], 'a'],
    ['none for variants that are off', [{ value: false, payload: undefined }, 'variant'], undefined],
    ['an object', [{ value: true, payload: '{"a":1}' }, 'payload'], { a: 1 }],
    ['an object that is kept as one', [{ value: 'a', payload: { a: 1 } }, 'payload'], { a: 1 }],
    ['a number', [{ value: true, payload: '3.5' }, 'payload'], 3.5],
    ['false, which is a value', [{ value: true, payload: 'false' }, 'payload'], false],
    ['a text in quotes', [{ value: true, payload: '"red"' }, 'payload'], 'red'],
    ['a text without', [{ value: true, payload: 'red' }, 'payload'], 'red'],
    ['none for null', [{ value: true, payload: 'null' }, 'payload'], undefined],
    ['none where there is no payload', [{ value: true, payload: undefined }, 'payload'], undefined],
    ['none for payloads that are off', [{ value: false, payload: undefined }, 'payload'], undefined],
  ])('is %s', (_name, given, expected) => {
    expect(openFeatureValue(...given)).toEqual(expected);
  });
});
