/**
 * The criteria of a cohort in the form: persons who match any of the groups, and every criterion of that group. Criteria
 * that the form cannot show (nested groups, other behaviors) are null, and edited as JSON.
 */
import { isComplete, OPERATORS, type Operator, type PropertyFilter } from '../../lib/filters.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month', 'year'] as const;
type Interval = (typeof INTERVALS)[number];

export interface Behavior {
  event: string;
  negated: boolean;
  /** At least so many times. */
  times: number;
  within: number;
  interval: Interval;
}

export interface Membership {
  id: number;
  negated: boolean;
}

export interface CriteriaGroup {
  properties: PropertyFilter[];
  behaviors: Behavior[];
  cohorts: Membership[];
}

export const EMPTY_GROUP: CriteriaGroup = { properties: [], behaviors: [], cohorts: [] };

type Item = Readonly<Record<string, unknown>>;

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const isGroup = (value: unknown): boolean => isItem(value) && Array.isArray(value['values']);

export function readCriteria(filters: Item): CriteriaGroup[] | null {
  const top = filters['properties'];
  if (top === undefined || (isItem(top) && Object.keys(top).length === 0)) return [];
  if (!isItem(top) || !Array.isArray(top['values'])) return null;
  const values: unknown[] = top['values'];
  if (values.length === 0) return [];
  if (!values.some(isGroup)) return readLeaves(values, top['type']);
  if (values.length > 1 && top['type'] !== 'OR') return null;
  const groups = values.map((group) => readGroup(group));
  return groups.includes(null) ? null : (groups as CriteriaGroup[]);
}

function readLeaves(leaves: readonly unknown[], type: unknown): CriteriaGroup[] | null {
  const lists = type === 'OR' ? leaves.map((leaf) => [leaf]) : [leaves];
  const groups = lists.map((list) => readGroup({ type: 'AND', values: list }));
  return groups.includes(null) ? null : (groups as CriteriaGroup[]);
}

function readGroup(group: unknown): CriteriaGroup | null {
  if (!isItem(group) || !Array.isArray(group['values'])) return null;
  const values: unknown[] = group['values'];
  if (values.length > 1 && group['type'] !== 'AND') return null;
  const read: CriteriaGroup = { properties: [], behaviors: [], cohorts: [] };
  return values.every((value) => isItem(value) && addTo(read, value)) ? read : null;
}

/** False if the form cannot show it. */
function addTo(group: CriteriaGroup, item: Item): boolean {
  const property = readProperty(item);
  if (property) group.properties.push(property);
  const behavior = readBehavior(item);
  if (behavior) group.behaviors.push(behavior);
  const cohort = readMembership(item);
  if (cohort) group.cohorts.push(cohort);
  return Boolean(property ?? behavior ?? cohort);
}

function readProperty({ type = 'person', key, operator, value, negation }: Item): PropertyFilter | null {
  if (type !== 'person' || typeof key !== 'string' || negation === true) return null;
  const known = OPERATORS.find((one) => one.value === (operator ?? 'exact'))?.value as Operator | undefined;
  const isText = [value].flat().every((one) => typeof one === 'string');
  if (known === undefined) return null;
  if (known === 'is_set' || known === 'is_not_set') return { type: 'person', key, operator: known, value: '' };
  return isText ? { type: 'person', key, operator: known, value: value as string | string[] } : null;
}

const COMMON_KEYS = new Set([
  'type',
  'value',
  'key',
  'event_type',
  'time_value',
  'time_interval',
  'operator',
  'operator_value',
  'negation',
]);

function readBehavior(item: Item): Behavior | null {
  const { type, value, key, operator, negation } = item;
  if (type !== 'behavioral' || typeof key !== 'string' || !Object.keys(item).every((one) => COMMON_KEYS.has(one))) {
    return null;
  }
  const isOnce = value === 'performed_event';
  if (!isOnce && !(value === 'performed_event_multiple' && operator === 'gte')) return null;
  const times = isOnce ? 1 : Number(item['operator_value']);
  const interval = INTERVALS.find((one) => one === item['time_interval']);
  const within = Number(item['time_value']);
  if (!interval || !Number.isFinite(times) || !Number.isFinite(within)) return null;
  return { event: key, negated: negation === true, times, within, interval };
}

function readMembership({ type, value, negation, operator }: Item): Membership | null {
  const isPlain = operator === undefined || operator === null || operator === 'in';
  if (type !== 'cohort' || !isPlain || !Number.isSafeInteger(Number(value))) return null;
  return { id: Number(value), negated: negation === true };
}

export const isFilledIn = (groups: readonly CriteriaGroup[]): boolean =>
  groups.every(
    ({ properties, behaviors, cohorts }) =>
      properties.every(isComplete) &&
      behaviors.every(({ event, times, within }) => event !== '' && times >= 1 && within >= 1) &&
      cohorts.every(({ id }) => id > 0) &&
      properties.length + behaviors.length + cohorts.length > 0,
  );

export const writeCriteria = (groups: readonly CriteriaGroup[]): Item => ({
  properties: { type: 'OR', values: groups.map((group) => ({ type: 'AND', values: writeGroup(group) })) },
});

const writeGroup = ({ properties, behaviors, cohorts }: CriteriaGroup): Item[] => [
  ...properties.map((property) => ({ ...property })),
  ...behaviors.map(writeBehavior),
  ...cohorts.map(({ id, negated }) => ({ type: 'cohort', key: 'id', value: id, negation: negated })),
];

const writeBehavior = ({ event, negated, times, within, interval }: Behavior): Item => ({
  type: 'behavioral',
  value: times === 1 ? 'performed_event' : 'performed_event_multiple',
  key: event,
  event_type: 'events',
  time_value: within,
  time_interval: interval,
  ...(times === 1 ? {} : { operator: 'gte', operator_value: times }),
  negation: negated,
});
