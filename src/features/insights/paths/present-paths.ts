import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { PathEdge } from '../rules/answers.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import { type PresentContext, pickColumns, type Table } from '../shared/present.ts';

export const presentPaths = (question: PathsQuestion, edges: readonly PathEdge[], { link }: PresentContext) =>
  edges.map((edge) => ({
    source: edge.source,
    target: edge.target,
    value: edge.value,
    average_conversion_time: edge.averageTime,
    people_url: link(pathLink(question, edge)),
  }));

export const pathLink = (question: PathsQuestion, { source, target }: PathEdge): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.range),
  path_start_key: source,
  path_end_key: target,
});

export const pathsTable = (result: Json): Table =>
  pickColumns(result as JsonObject[], ['source', 'target', 'value', 'average_conversion_time']);
