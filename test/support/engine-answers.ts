/** Asks an engine what a body of the wire asks for, of any kind. */
import type { JsonObject } from '../../src/core/json/json.ts';
import { answerQuestion } from '../../src/features/insights/answer-question.ts';
import {
  readCorrelationPeopleQuestion,
  readCorrelationQuestion,
} from '../../src/features/insights/correlation/rules/read-correlation.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../src/features/insights/funnel/rules/read-funnel-people.ts';
import { answerLifecycle, findLifecyclePeople } from '../../src/features/insights/lifecycle/answer-lifecycle.ts';
import {
  readLifecyclePeopleQuestion,
  readLifecycleQuestion,
} from '../../src/features/insights/lifecycle/rules/read-lifecycle.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../src/features/insights/paths/rules/read-paths.ts';
import { answerRetention, findRetentionPeople } from '../../src/features/insights/retention/answer-retention.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/features/insights/retention/rules/read-retention.ts';
import type { QuestionContext } from '../../src/features/insights/rules/context.ts';
import { answerStickiness, findStickinessPeople } from '../../src/features/insights/stickiness/answer-stickiness.ts';
import {
  readStickinessPeopleQuestion,
  readStickinessQuestion,
} from '../../src/features/insights/stickiness/rules/read-stickiness.ts';
import { answerTrends } from '../../src/features/insights/trends/answer-trends.ts';
import { readTrendKind, readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/features/insights/trends/rules/read-trends-people.ts';
import { findTrendsPeople } from '../../src/features/insights/trends/trends-people.ts';
import type { EngineDeps } from './insight-store.ts';

const ALL = { limit: 1000, offset: 0 };

type Ask = (deps: EngineDeps, projectId: number, fields: JsonObject, context: QuestionContext) => Promise<unknown>;

/** By the end of the path. */
export const ASKS: Readonly<Record<string, Ask>> = {
  'insights/trend': (deps, id, fields, context) => {
    switch (readTrendKind(fields)) {
      case 'trends':
        return answerTrends(deps, id, readTrendsQuestion(fields, context));
      case 'lifecycle':
        return answerLifecycle(deps, id, readLifecycleQuestion(fields, context));
      case 'stickiness':
        return answerStickiness(deps, id, readStickinessQuestion(fields, context));
    }
  },
  'persons/trends': (deps, id, fields, context) =>
    findTrendsPeople(deps, id, readTrendsPeopleQuestion(fields, context), ALL),
  'persons/lifecycle': (deps, id, fields, context) =>
    findLifecyclePeople(deps, id, readLifecyclePeopleQuestion(fields, context), ALL),
  'persons/stickiness': (deps, id, fields, context) =>
    findStickinessPeople(deps, id, readStickinessPeopleQuestion(fields, context), ALL),
  'insights/retention': (deps, id, fields, context) =>
    answerRetention(deps, id, readRetentionQuestion(fields, context)),
  'persons/retention': (deps, id, fields, context) =>
    findRetentionPeople(deps, id, readRetentionPeopleQuestion(fields, context), ALL),
  'insights/funnel': (deps, id, fields, context) => answerQuestion(deps, id, readFunnelQuestion(fields, context), ALL),
  'persons/funnel': (deps, id, fields, context) =>
    answerQuestion(deps, id, readFunnelPeopleQuestion(fields, context), ALL),
  'insights/path': (deps, id, fields, context) => answerQuestion(deps, id, readPathsQuestion(fields, context), ALL),
  'persons/path': (deps, id, fields, context) =>
    answerQuestion(deps, id, readPathsPeopleQuestion(fields, context), ALL),
  'insights/funnel/correlation': (deps, id, fields, context) =>
    answerQuestion(deps, id, readCorrelationQuestion(fields, context), ALL),
  'persons/funnel/correlation': (deps, id, fields, context) =>
    answerQuestion(deps, id, readCorrelationPeopleQuestion(fields, context), ALL),
};

/** What a recorded case asks; undefined for those that are about something else. */
export function askOf(endpoint: string): Ask | undefined {
  const [, path = ''] = /((?:insights|persons?)\/[a-z/]+?)\/?$/.exec(endpoint) ?? [];
  return ASKS[path.replace(/^person\//, 'persons/')];
}

/** Sums of the same numbers in another order differ in their last digits. */
export const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one));
