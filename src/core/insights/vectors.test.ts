import { describe, expect, it } from 'vitest';
import { areInsightCasesThere, loadInsightCases, problemsOf } from '../../../test/support/insight-vectors.ts';
import { answerCase, personIdIn } from '../../../test/support/oracle-answers.ts';

const FAMILIES = ['trends', 'funnel', 'paths', 'retention', 'stickiness', 'lifecycle', 'correlation'];

/** Cases that are not followed, each with its reason. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {};

describe.skipIf(!areInsightCasesThere())('the oracle', () => {
  it.each(loadInsightCases(FAMILIES).map((one) => [one.id, one] as const))('answers %s', (id, one) => {
    const problems = problemsOf(one, answerCase(one), personIdIn(one));
    if (NOT_FOLLOWED[id] !== undefined) expect(problems).not.toEqual([]);
    else expect(problems).toEqual([]);
  });
});

it.skipIf(areInsightCasesThere())('has no cases of insights to run: set VECTORS_DIR', () => {});
