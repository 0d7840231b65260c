/**
 * The `filters` of a flag. Settings that the console does not know (newer fields) are kept: every change copies the
 * filters and replaces one part.
 */

export type JsonObject = Readonly<Record<string, unknown>>;
export type Filters = JsonObject;

/** A filter on a person, a group, a cohort or another flag. */
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

/** 100 unless set. */
export const rolloutOf = (condition: Condition): number =>
  typeof condition.rollout_percentage === 'number' ? condition.rollout_percentage : 100;

const withConditions = (filters: Filters, groups: readonly Condition[]): Filters => ({ ...filters, groups });

const newCondition = (): Condition => ({ properties: [], rollout_percentage: 100, variant: null });

/** Starts at 0%, so that adding a condition releases the flag to no one. */
export const addCondition = (filters: Filters): Filters =>
  withConditions(filters, [...conditionsOf(filters), { ...newCondition(), rollout_percentage: 0 }]);

export const putCondition = (filters: Filters, index: number, condition: Condition): Filters =>
  withConditions(filters, conditionsOf(filters).with(index, condition));

export const removeCondition = (filters: Filters, index: number): Filters =>
  withConditions(filters, conditionsOf(filters).toSpliced(index, 1));

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

/** The group type of the flag; null for persons. */
export const audienceOf = (filters: Filters): number | null => indexIn(filters);

/** A condition can have its own group type. */
export const audienceOfCondition = (filters: Filters, condition: Condition): number | null =>
  indexIn(condition) ?? indexIn(filters);

const HASHES: Readonly<Record<string, string>> = {
  unleash: 'Unleash',
  unleash_variant: 'Unleash',
  growthbook_1: 'GrowthBook',
  growthbook_2: 'GrowthBook',
  launchdarkly: 'LaunchDarkly',
  flagd: 'flagd',
};

/** The product whose hash puts users into percentages; null: Cairn's own. */
export function vendorHashOf(filters: Filters): string | null {
  const [step] = conditionsOf(filters).flatMap((condition) => objectsIn(condition['bucketing']));
  return step === undefined ? null : (HASHES[String(step['hash'])] ?? 'another product');
}

/** The group types of its conditions, null for persons; each once. */
export const audiencesOf = (filters: Filters): (number | null)[] => [
  ...new Set(conditionsOf(filters).map((condition) => audienceOfCondition(filters, condition))),
];

/** Whether conditions say by themselves what they match by. */
export const hasOwnAudiences = (filters: Filters): boolean =>
  conditionsOf(filters).some((condition) => indexIn(condition) !== null);

/** Of one condition, whose filters that do not suit it are removed; the others keep theirs. */
export function setConditionAudience(filters: Filters, index: number, audience: number | null): Filters {
  const groups = conditionsOf(filters).map((condition, at) => {
    const { aggregation_group_type_index: _, ...rest } = condition;
    const own = at === index ? audience : audienceOfCondition(filters, condition);
    const properties = propertiesOf(condition).filter((one) => at !== index || suitsAudience(one, audience));
    return { ...rest, properties, ...(own === null ? {} : { aggregation_group_type_index: own }) };
  });
  return { ...filters, aggregation_group_type_index: null, groups };
}

/** Removes filters that do not suit the new audience. */
export function setAudience(filters: Filters, audience: number | null): Filters {
  const groups = conditionsOf(filters).map(({ aggregation_group_type_index: _, ...condition }) => ({
    ...condition,
    properties: propertiesOf(condition).filter((property) => suitsAudience(property, audience)),
  }));
  return { ...filters, aggregation_group_type_index: audience, groups };
}

const suitsAudience = (property: Property, audience: number | null): boolean =>
  audience === null
    ? property.type !== 'group'
    : property.type === 'group' && property['group_type_index'] === audience;

/** How many filters another audience would remove. */
export const countIncompatible = (filters: Filters, audience: number | null): number =>
  conditionsOf(filters)
    .flatMap(propertiesOf)
    .filter((property) => !suitsAudience(property, audience)).length;
