/** Asks an engine what a body of the wire asks for, of any kind. */
import type { JsonObject } from '../../src/core/events/json.ts';
import type { QuestionContext } from '../../src/core/insights/questions/context.ts';
import {
  readCorrelationPeopleQuestion,
  readCorrelationQuestion,
} from '../../src/core/insights/questions/read-correlation.ts';
import { readFunnelQuestion } from '../../src/core/insights/questions/read-funnel.ts';
import { readFunnelPeopleQuestion } from '../../src/core/insights/questions/read-funnel-people.ts';
import {
  readLifecyclePeopleQuestion,
  readLifecycleQuestion,
} from '../../src/core/insights/questions/read-lifecycle.ts';
import { readPathsPeopleQuestion, readPathsQuestion } from '../../src/core/insights/questions/read-paths.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/core/insights/questions/read-retention.ts';
import {
  readStickinessPeopleQuestion,
  readStickinessQuestion,
} from '../../src/core/insights/questions/read-stickiness.ts';
import { readTrendKind, readTrendsQuestion } from '../../src/core/insights/questions/read-trends.ts';
import { readTrendsPeopleQuestion } from '../../src/core/insights/questions/read-trends-people.ts';
import { askLifecycle, askLifecyclePeople } from '../../src/insights/ask/lifecycle.ts';
import { askRetention, askRetentionPeople } from '../../src/insights/ask/retention.ts';
import { askStickiness, askStickinessPeople } from '../../src/insights/ask/stickiness.ts';
import { askTrends } from '../../src/insights/ask/trends.ts';
import { askTrendsPeople } from '../../src/insights/ask/trends-people.ts';
import { follow } from '../../src/insights/follow.ts';
import type { EngineDeps } from './insight-store.ts';

const ALL = { limit: 1000, offset: 0 };

type Ask = (deps: EngineDeps, projectId: number, fields: JsonObject, context: QuestionContext) => Promise<unknown>;

/** By the end of the path. */
export const ASKS: Readonly<Record<string, Ask>> = {
  'insights/trend': (deps, id, fields, context) => {
    switch (readTrendKind(fields)) {
      case 'trends':
        return askTrends(deps, id, readTrendsQuestion(fields, context));
      case 'lifecycle':
        return askLifecycle(deps, id, readLifecycleQuestion(fields, context));
      case 'stickiness':
        return askStickiness(deps, id, readStickinessQuestion(fields, context));
    }
  },
  'persons/trends': (deps, id, fields, context) =>
    askTrendsPeople(deps, id, readTrendsPeopleQuestion(fields, context), ALL),
  'persons/lifecycle': (deps, id, fields, context) =>
    askLifecyclePeople(deps, id, readLifecyclePeopleQuestion(fields, context), ALL),
  'persons/stickiness': (deps, id, fields, context) =>
    askStickinessPeople(deps, id, readStickinessPeopleQuestion(fields, context), ALL),
  'insights/retention': (deps, id, fields, context) => askRetention(deps, id, readRetentionQuestion(fields, context)),
  'persons/retention': (deps, id, fields, context) =>
    askRetentionPeople(deps, id, readRetentionPeopleQuestion(fields, context), ALL),
  'insights/funnel': (deps, id, fields, context) => follow(deps, id, readFunnelQuestion(fields, context), ALL),
  'persons/funnel': (deps, id, fields, context) => follow(deps, id, readFunnelPeopleQuestion(fields, context), ALL),
  'insights/path': (deps, id, fields, context) => follow(deps, id, readPathsQuestion(fields, context), ALL),
  'persons/path': (deps, id, fields, context) => follow(deps, id, readPathsPeopleQuestion(fields, context), ALL),
  'insights/funnel/correlation': (deps, id, fields, context) =>
    follow(deps, id, readCorrelationQuestion(fields, context), ALL),
  'persons/funnel/correlation': (deps, id, fields, context) =>
    follow(deps, id, readCorrelationPeopleQuestion(fields, context), ALL),
};

/** What a recorded case asks; undefined for those that are about something else. */
export function askOf(endpoint: string): Ask | undefined {
  const [, path = ''] = /((?:insights|persons?)\/[a-z/]+?)\/?$/.exec(endpoint) ?? [];
  return ASKS[path.replace(/^person\//, 'persons/')];
}

/** Sums of the same numbers in another order differ in their last digits. */
export const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one));
