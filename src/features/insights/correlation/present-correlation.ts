import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { Correlation, CorrelationAnswer } from '../rules/answers.ts';
import type { CorrelationQuestion } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import { type PresentContext, pickColumns, type Table } from '../shared/present.ts';

export const presentCorrelation = (
  question: CorrelationQuestion,
  { events, isSkewed }: CorrelationAnswer,
  { link }: PresentContext,
) => ({
  events: events.map((one) => ({
    event: { event: one.name, properties: {}, elements: [] },
    success_count: one.success,
    failure_count: one.failure,
    odds_ratio: one.oddsRatio,
    correlation_type: one.oddsRatio > 1 ? 'success' : 'failure',
    success_people_url: link(correlationLink(question, one, true)),
    failure_people_url: link(correlationLink(question, one, false)),
  })),
  skewed: isSkewed,
});

export const correlationLink = (
  question: CorrelationQuestion,
  { factor }: Correlation,
  hasConverted: boolean,
): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.funnel.range),
  funnel_correlation_person_converted: String(hasConverted),
  ...(factor.event === null
    ? { funnel_correlation_property_values: filtersOf('person', factor) }
    : {
        funnel_correlation_person_entity: { id: factor.event, type: 'events', properties: filtersOf('event', factor) },
      }),
});

const filtersOf = (type: 'event' | 'person', { key, value }: Correlation['factor']): Json[] =>
  key === null ? [] : [{ key, value, type, operator: 'exact' }];

export function correlationTable(result: Json): Table {
  const { events } = result as { events: JsonObject[] };
  const rows = events.map((one) => ({ ...one, event: (one['event'] as JsonObject)['event'] ?? null }));
  return pickColumns(rows, ['event', 'success_count', 'failure_count', 'odds_ratio', 'correlation_type']);
}
