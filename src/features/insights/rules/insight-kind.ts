import { invalid } from '../../../core/errors.ts';
import { type QuestionFields, quote, readTextField } from './fields.ts';

/** What a question that is kept is about, as its field `insight` says. */
const INSIGHT_NAMES = ['TRENDS', 'STICKINESS', 'LIFECYCLE', 'FUNNELS', 'RETENTION', 'PATHS'] as const;
type InsightName = (typeof INSIGHT_NAMES)[number];

export function readInsightName(fields: QuestionFields): InsightName {
  const given = readTextField(fields, 'insight')?.toUpperCase() ?? 'TRENDS';
  const name = INSIGHT_NAMES.find((one) => one === given);
  if (name !== undefined) return name;
  throw invalid('insight', `insight cannot be ${quote(given)}: choose one of ${INSIGHT_NAMES.join(', ')}.`);
}
