/** What the presenters of several kinds share: answers as clients see them, and their CSV tables. */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { QuestionFields } from '../rules/fields.ts';
import { mathName } from '../rules/math.ts';
import type { QuestionContext, Series } from '../rules/question.ts';
import { readEntities } from '../rules/read-entity.ts';

/** What a presenter needs besides the question and its answer. */
export interface PresentContext {
  fields: QuestionFields;
  context: QuestionContext;
  /** Whether the question came in a body. */
  isBody: boolean;
  /** The address of the persons that these fields select. */
  link(fields: JsonObject): string;
}

/** A link with the fields it is made of. */
export const linkWithFilter = ({ link }: PresentContext, filter: JsonObject) => ({ url: link(filter), filter });

/** The series as they were sent, with defaults filled in. */
export const presentSeries = ({ fields, context }: PresentContext) =>
  readEntities(fields, context).map(({ entity, given }, order) => ({
    id: entity.id,
    type: `${entity.kind}s`,
    order,
    name: entity.name,
    custom_name: entity.customName,
    math: given['math'] ?? null,
    math_property: given['math_property'] ?? null,
    math_group_type_index: given['math_group_type_index'] ?? null,
    properties: given['properties'] ?? [],
  }));

export const presentPeriod = (period: 'current' | 'previous' | null) =>
  period === null ? {} : { compare: true, compare_label: period };

/** `offset` pages the values of a breakdown, but also the persons: a link starts with the first person. */
export const withoutOffset = ({ offset: _offset, ...fields }: JsonObject): JsonObject => fields;

/** The series by its index, which also identifies its filters. */
export const seriesFields = ({ entity, math }: Series, index: number): JsonObject => ({
  entity_id: entity.id,
  entity_type: `${entity.kind}s`,
  entity_math: mathName(math),
  entity_order: index,
});

/** A header and rows. */
export type Table = readonly (readonly Json[])[];

export const pickColumns = (items: readonly JsonObject[], columns: readonly string[]): Table => [
  columns,
  ...items.map((item) => columns.map((column) => item[column] ?? null)),
];

/** A row for each series, a column for each interval. */
export function seriesTable(items: readonly JsonObject[], nameOf: (item: JsonObject) => Json): Table {
  const labels = (items[0]?.['labels'] ?? []) as Json[];
  return [['series', ...labels], ...items.map((item) => [nameOf(item), ...((item['data'] ?? []) as Json[])])];
}
