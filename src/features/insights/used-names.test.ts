import { describe, expect, it } from 'vitest';
import { readCorrelationQuestion } from './correlation/rules/read-correlation.ts';
import { readFunnelQuestion } from './funnel/rules/read-funnel.ts';
import { usedNames } from './kinds.ts';
import { readLifecycleQuestion } from './lifecycle/rules/read-lifecycle.ts';
import { readPathsQuestion } from './paths/rules/read-paths.ts';
import { readRetentionQuestion } from './retention/rules/read-retention.ts';
import type { Question } from './rules/question.ts';
import { readStickinessQuestion } from './stickiness/rules/read-stickiness.ts';
import { readTrendsQuestion } from './trends/rules/read-trends.ts';

const context = {
  now: Date.parse('2026-01-15T12:00:00Z'),
  timezone: 'UTC',
  action: (id: number) => ({
    id,
    name: 'Paid',
    steps: [
      {
        event: 'paid',
        url: null,
        urlMatching: 'contains' as const,
        filter: { kind: 'property', owner: 'event', key: 'amount', operator: 'is_set', values: [] } as const,
      },
    ],
  }),
};
const filter = (key: string, type: string) => ({ key, type, value: 'x' });
const funnel = { events: ['seen', 'paid'] };

const CASES: [string, Question, string[]][] = [
  [
    'a trend: series, what they add up, filters and the breakdown, each once',
    readTrendsQuestion(
      {
        events: [{ id: 'seen' }, { id: 'seen', math: 'sum', math_property: 'amount' }, { id: null }],
        actions: [{ id: 5 }],
        properties: [filter('plan', 'event'), filter('plan', 'person')],
        breakdown: 'size',
        breakdown_type: 'group',
        breakdown_group_type_index: 2,
      },
      context,
    ),
    ['paid', 'seen', 'event_property plan', 'person_property plan', 'event_property amount', 'group_property 2 size'],
  ],
  ['a lifecycle', readLifecycleQuestion({ events: ['seen'] }, context), ['seen']],
  [
    'stickiness, with the filters of a series',
    readStickinessQuestion({ events: [{ id: 'seen', properties: [filter('plan', 'person')] }] }, context),
    ['seen', 'person_property plan'],
  ],
  [
    'retention: target and return',
    readRetentionQuestion({ target_entity: { id: 'seen' }, returning_entity: { id: 5, type: 'actions' } }, context),
    ['seen', 'paid', 'event_property amount'],
  ],
  [
    'a funnel: steps and exclusions',
    readFunnelQuestion({ ...funnel, exclusions: [{ id: 'left', funnel_from_step: 0, funnel_to_step: 1 }] }, context),
    ['seen', 'paid', 'left'],
  ],
  [
    'a correlation of properties of events',
    readCorrelationQuestion(
      { ...funnel, funnel_correlation_type: 'event_with_properties', funnel_correlation_event_names: ['read'] },
      context,
    ),
    ['read', 'seen', 'paid'],
  ],
  [
    'paths: the kinds of events that they are made of',
    readPathsQuestion({ include_event_types: ['$pageview'], properties: [filter('plan', 'event')] }, context),
    ['$pageview', 'event_property plan'],
  ],
  ['the length of sessions, which is no property', sessions(), ['seen']],
];

function sessions(): Question {
  const session = { breakdown: '$session_duration', breakdown_type: 'session' };
  return readTrendsQuestion(
    { events: [{ id: 'seen', math: 'avg', math_property: '$session_duration' }], ...session },
    context,
  );
}

describe('the names that a question uses', () => {
  it.each(CASES)('are found in %s', (_name, question, names) => {
    const shown = usedNames(question).map(({ kind, groupTypeIndex, name }) =>
      [...(kind === 'event' ? [] : [kind]), ...(groupTypeIndex < 0 ? [] : [groupTypeIndex]), name].join(' '),
    );
    expect(shown).toEqual(names);
  });
});
