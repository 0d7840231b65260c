import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { describeChange } from './describe-change.ts';

const change = (field: string, after: boolean | number | null | object) => ({ field, after: after as never });
const updated = (scope: string, changes: ReturnType<typeof change>[], trigger: JsonObject | null = null) => ({
  scope,
  activity: 'updated',
  detail: { name: 'checkout', changes, trigger },
});

it.each([
  [
    'a new flag',
    { scope: 'FeatureFlag', activity: 'created', detail: { name: 'checkout', changes: null, trigger: null } },
    'Flag checkout created',
  ],
  ['a flag turned on', updated('FeatureFlag', [change('active', true)]), 'Flag checkout enabled'],
  [
    'a flag turned off, with its conditions',
    updated('FeatureFlag', [change('filters', {}), change('active', false)]),
    'Flag checkout disabled',
  ],
  [
    'an automatic rollback',
    updated('FeatureFlag', [change('active', false)], { job_type: 'rollback' }),
    'Flag checkout rolled back',
  ],
  [
    'a scheduled change',
    updated('FeatureFlag', [change('active', true)], { job_type: 'scheduled_change' }),
    'Flag checkout enabled',
  ],
  ['new conditions', updated('FeatureFlag', [change('filters', {})]), 'Flag checkout changed'],
  ['a deleted flag', updated('FeatureFlag', [change('deleted', true)]), 'Flag checkout deleted'],
  ['a restored flag', updated('FeatureFlag', [change('deleted', false)]), 'Flag checkout restored'],
  ['a new name, which no visitor sees', updated('FeatureFlag', [change('name', {})]), null],
  [
    'a draft of an experiment',
    { scope: 'Experiment', activity: 'created', detail: { name: 'x', changes: null, trigger: null } },
    null,
  ],
  ['a launch', updated('Experiment', [change('start_date', 5)]), 'Experiment checkout started'],
  ['an end', updated('Experiment', [change('end_date', 5)]), 'Experiment checkout ended'],
  ['a reset', updated('Experiment', [change('start_date', null)]), 'Experiment checkout reset'],
  ['something else', updated('Cohort', [change('filters', {})]), null],
])('describes %s', (_name, entry, text) => {
  expect(describeChange(entry)).toBe(text);
});
