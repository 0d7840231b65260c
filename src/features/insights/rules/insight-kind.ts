import { invalid } from '../../../core/errors.ts';
import { type Fields, quote, readText } from './fields.ts';

/** What a question that is kept is about, as its field `insight` says. */
export const INSIGHTS = ['TRENDS', 'STICKINESS', 'LIFECYCLE', 'FUNNELS', 'RETENTION', 'PATHS'] as const;
export type InsightName = (typeof INSIGHTS)[number];

export function readInsightName(fields: Fields): InsightName {
  const given = readText(fields, 'insight')?.toUpperCase() ?? 'TRENDS';
  const name = INSIGHTS.find((one) => one === given);
  if (name !== undefined) return name;
  throw invalid('insight', `insight cannot be ${quote(given)}: choose one of ${INSIGHTS.join(', ')}.`);
}
