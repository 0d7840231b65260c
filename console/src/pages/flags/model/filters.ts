/**
 * A flag's `filters` as they travel, and changes to parts of them. Whatever the console does not know (holdouts, early
 * access, names of a later version) stays where it is: every change is a copy with one part replaced.
 */

export type JsonObject = Readonly<Record<string, unknown>>;
export type Filters = JsonObject;

/** One thing that a condition asks: of a person, a group, a cohort or another flag. */
export interface Property extends JsonObject {
  readonly key?: unknown;
  readonly type?: unknown;
  readonly operator?: unknown;
  readonly value?: unknown;
}

export interface Condition extends JsonObject {
  readonly properties?: unknown;
  readonly rollout_percentage?: unknown;
  readonly variant?: unknown;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const conditionsOf = (filters: Filters): Condition[] => objectsIn(filters['groups']);

export const propertiesOf = (condition: Condition): Property[] => objectsIn(condition.properties);

/** Of those who fit. Nothing said means all. */
export const shareOf = (condition: Condition): number =>
  typeof condition.rollout_percentage === 'number' ? condition.rollout_percentage : 100;

const withConditions = (filters: Filters, groups: readonly Condition[]): Filters => ({ ...filters, groups });

export const newCondition = (): Condition => ({ properties: [], rollout_percentage: 100, variant: null });

/** A new one is for nobody until somebody says for whom: it must not let everybody in by being there. */
export const addCondition = (filters: Filters): Filters =>
  withConditions(filters, [...conditionsOf(filters), { ...newCondition(), rollout_percentage: 0 }]);

export const putCondition = (filters: Filters, index: number, condition: Condition): Filters =>
  withConditions(filters, conditionsOf(filters).with(index, condition));

export const removeCondition = (filters: Filters, index: number): Filters =>
  withConditions(filters, conditionsOf(filters).toSpliced(index, 1));

/** Conditions are tried from the top, so their order matters. */
export function moveCondition(filters: Filters, index: number, by: -1 | 1): Filters {
  const all = conditionsOf(filters);
  const [moved] = all.slice(index, index + 1);
  const target = index + by;
  if (!moved || target < 0 || target >= all.length) return filters;
  return withConditions(filters, all.toSpliced(index, 1).toSpliced(target, 0, moved));
}

export const copyCondition = (filters: Filters, index: number): Filters => {
  const all = conditionsOf(filters);
  return withConditions(filters, all.toSpliced(index + 1, 0, ...all.slice(index, index + 1)));
};

const indexIn = (part: JsonObject): number | null => {
  const { aggregation_group_type_index: index } = part;
  return typeof index === 'number' ? index : null;
};

/** The kind of groups that the flag is for; null for persons. */
export const audienceOf = (filters: Filters): number | null => indexIn(filters);

/** A condition may have its own. */
export const audienceOfCondition = (filters: Filters, condition: Condition): number | null =>
  indexIn(condition) ?? indexIn(filters);

/** What can be asked of a person makes no sense for a company: what does not fit the new audience goes. */
export function releaseTo(filters: Filters, audience: number | null): Filters {
  const groups = conditionsOf(filters).map(({ aggregation_group_type_index: _, ...condition }) => ({
    ...condition,
    properties: propertiesOf(condition).filter((property) => fitsAudience(property, audience)),
  }));
  return { ...filters, aggregation_group_type_index: audience, groups };
}

export const fitsAudience = (property: Property, audience: number | null): boolean =>
  audience === null
    ? property.type !== 'group'
    : property.type === 'group' && property['group_type_index'] === audience;

/** How many conditions on properties would be lost by another audience. */
export const lostBy = (filters: Filters, audience: number | null): number =>
  conditionsOf(filters)
    .flatMap(propertiesOf)
    .filter((property) => !fitsAudience(property, audience)).length;
