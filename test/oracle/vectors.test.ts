import { expect, it } from 'vitest';
import { INSIGHT_CASES, loadInsightCases, problemsOf } from '../support/insight-vectors.ts';
import { answerCase, funnelRows, personIdsIn } from '../support/oracle-answers.ts';
import { describeVectors } from '../support/vectors.ts';

const KINDS = ['trends', 'funnel', 'paths', 'retention', 'stickiness', 'lifecycle', 'correlation'];

/** Cases that are not followed, each with its reason. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'test_funnel_unordered::test_funnel_step_breakdown_event_with_string_only_breakdown#0':
    'a value of a breakdown that was named by a text is shown as a text, as the wire does through HTTP',
};

describeVectors('the oracle', INSIGHT_CASES, () => {
  it.each(loadInsightCases(KINDS).map((one) => [one.id, one] as const))('answers %s', (id, one) => {
    const problems = problemsOf(one, answerCase(one), personIdsIn(one));
    if (NOT_FOLLOWED[id] !== undefined) expect(problems).not.toEqual([]);
    else expect(problems.join('\n')).toBe('');
  });
});

describeVectors('the counts behind the percentages of funnels', INSIGHT_CASES, () => {
  const cases = loadInsightCases(['funnel']).filter((one) => one.expected_rows !== undefined);
  it.each(cases.map((one) => [one.id, one] as const))('are right in %s', (_id, one) => {
    const rows = { ...one, expected_root: 'body', expected: one.expected_rows ?? [] };
    expect(problemsOf(rows, funnelRows(one), personIdsIn(one)).join('\n')).toBe('');
  });
});
