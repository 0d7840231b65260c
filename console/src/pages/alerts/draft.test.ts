import { describe, expect, it } from 'vitest';
import type { Alert } from '../../api/alerts.ts';
import { type AlertDraft, draftOf, isOfNow, kindOf, missingIn, newDraft, toWrite, withSuggestion } from './draft.ts';

const draft = (rest: Partial<AlertDraft> = {}): AlertDraft => ({
  ...newDraft(7, 1),
  name: 'Low',
  lower: '10',
  ...rest,
});

describe('the form of an alert', () => {
  it.each<[string | null, Partial<AlertDraft>]>([
    [null, {}],
    [null, { upper: '20' }],
    [null, { watched: 'flags', insight: null, lower: '' }],
    [null, { watched: 'errors', insight: null, lower: '' }],
    [null, { condition: 'seasonal', lower: '' }],
    ['Set at least one bound.', { watched: 'disk', insight: null, lower: '', condition: 'seasonal' }],
    ['Choose an insight.', { insight: null }],
    ['Choose at least one kind of change.', { watched: 'flags', insight: null, flagKinds: [] }],
    ['Reminders come after a length of time: 30m, 6h, 1d.', { remindEvery: 'daily' }],
    ['Choose an event.', { watched: 'silent', event: ' ' }],
    ['Bounds are numbers.', { lower: 'ten' }],
    ['Set at least one bound.', { lower: '' }],
    ['The lower bound is above the upper one.', { upper: '5' }],
    ['The sensitivity is a number above 0.', { condition: 'seasonal', k: '' }],
  ])('lacks %j', (missing, rest) => {
    expect(missingIn(draft(rest), 'TRENDS')).toBe(missing);
  });

  it('is the request, and read back from the answer', () => {
    const written = draft({ condition: 'relative_decrease', isPercentage: true, lower: '', upper: '50', inRow: '2' });
    const body = toWrite(written, 'TRENDS');
    expect(body).toEqual({
      name: 'Low',
      insight: 7,
      config: { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false },
      condition: { type: 'relative_decrease' },
      threshold: { configuration: { type: 'percentage', bounds: { lower: null, upper: 0.5 } } },
      calculation_interval: 'hourly',
      hysteresis: { for: 2, clear_for: 2, margin: 0, remind_every: null },
      skip_weekend: false,
      subscribed_users: [1],
      targets: [],
    });
    const answer = { ...body, insight: { id: 7 }, subscribed_users: [{ id: 1 }] } as unknown as Alert;
    expect(draftOf(answer)).toEqual({ ...written, part: '0' });
  });

  it('keeps what the form does not show, or shows in part', () => {
    const written = draft({
      watched: 'flags',
      insight: null,
      inRow: '3',
      clearFor: 2,
      margin: 0.2,
      remindEvery: '1d',
      flagIds: [4, 9],
      flagTags: ['billing'],
      flagKinds: ['active', 'rollback'],
    });
    const body = toWrite(written, '');
    expect(body).toMatchObject({
      config: { type: 'FlagChangeConfig', flag_ids: [4, 9], tags: ['billing'], kinds: ['active', 'rollback'] },
      hysteresis: { for: 3, clear_for: 2, margin: 0.2, remind_every: '1d' },
    });
    const answer = { ...body, insight: null, subscribed_users: [{ id: 1 }] } as unknown as Alert;
    expect(draftOf(answer)).toEqual({ ...written, lower: '' });
    expect(toWrite(draftOf(answer), '')).toEqual(body);
    expect(toWrite(draft({ watched: 'flags' }), '').config).toMatchObject({ flag_ids: null, tags: null });
  });

  it('has a config for each kind of insight', () => {
    const config = (kind: string, part: string) => toWrite(draft({ part }), kind).config;
    expect(config('FUNNELS', '')).toEqual({ type: 'FunnelAlertConfig', step: null });
    expect(config('RETENTION', '2')).toEqual({ type: 'RetentionAlertConfig', period: 2 });
    expect(config('LIFECYCLE', 'dormant')).toEqual({ type: 'LifecycleAlertConfig', status: 'dormant' });
    const silent = toWrite(draft({ watched: 'silent', event: 'paid' }), '');
    expect(silent).toMatchObject({
      insight: null,
      threshold: null,
      config: { type: 'SilentEventConfig', event: 'paid', silent_for: '6h' },
    });
  });

  it('compares nothing with the past where only what is now is known', () => {
    expect(kindOf({ filters: {}, query: { kind: 'HogQLQuery' } })).toBe('SQL');
    expect(kindOf({ filters: { insight: 'Funnels' }, query: null })).toBe('FUNNELS');
    expect(kindOf(undefined)).toBe('TRENDS');
    const now = toWrite(draft({ condition: 'relative_increase', isPercentage: true }), 'SQL');
    expect(now).toMatchObject({
      insight: 7,
      config: { type: 'SqlAlertConfig' },
      condition: { type: 'absolute_value' },
      threshold: { configuration: { type: 'absolute', bounds: { lower: 10, upper: null } } },
    });
    expect(
      ['insight', 'lag', 'disk', 'errors'].map((watched) => isOfNow(draft({ watched } as AlertDraft), 'SQL')),
    ).toEqual([...[true, true, true, false]]);
    expect(toWrite(draft({ watched: 'disk' }), 'TRENDS')).toMatchObject({
      insight: null,
      config: { type: 'DiskConfig' },
    });
    expect(toWrite(draft({ watched: 'errors' }), 'TRENDS')).toMatchObject({
      insight: null,
      config: { type: 'NewErrorConfig' },
      threshold: null,
    });
  });

  it('takes a suggestion', () => {
    const bounds = { configuration: { type: 'absolute', bounds: { lower: 3, upper: null } } };
    expect(withSuggestion(draft(), bounds)).toMatchObject({ lower: '3', upper: '' });
    expect(withSuggestion(draft(), { configuration: { type: 'deviation', k: 6.125 } }).k).toBe('6.13');
    expect(withSuggestion(draft(), null)).toEqual(draft());
  });
});
