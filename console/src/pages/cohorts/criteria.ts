/**
 * The criteria of a cohort as the form shows them: any of some groups, in each of which everything must hold. Criteria
 * that the form cannot show (deeper groups, rarer kinds of behaviour) are read as null and edited as JSON.
 */
import { isComplete, OPERATORS, type Operator, type PropertyFilter } from '../../lib/filters.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface Deed {
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
  deeds: Deed[];
  cohorts: Membership[];
}

export const EMPTY_GROUP: CriteriaGroup = { properties: [], deeds: [], cohorts: [] };

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
  const read: CriteriaGroup = { properties: [], deeds: [], cohorts: [] };
  return values.every((value) => isItem(value) && addTo(read, value)) ? read : null;
}

/** False where the form has no place for it. */
function addTo(group: CriteriaGroup, item: Item): boolean {
  const property = readProperty(item);
  if (property) group.properties.push(property);
  const deed = readDeed(item);
  if (deed) group.deeds.push(deed);
  const cohort = readMembership(item);
  if (cohort) group.cohorts.push(cohort);
  return Boolean(property ?? deed ?? cohort);
}

function readProperty({ type = 'person', key, operator, value, negation }: Item): PropertyFilter | null {
  if (type !== 'person' || typeof key !== 'string' || negation === true) return null;
  const known = OPERATORS.find((one) => one.value === (operator ?? 'exact'))?.value as Operator | undefined;
  const isTexts = [value].flat().every((one) => typeof one === 'string');
  if (known === undefined) return null;
  if (known === 'is_set' || known === 'is_not_set') return { type: 'person', key, operator: known, value: '' };
  return isTexts ? { type: 'person', key, operator: known, value: value as string | string[] } : null;
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

function readDeed(item: Item): Deed | null {
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

export const isWhole = (groups: readonly CriteriaGroup[]): boolean =>
  groups.every(
    ({ properties, deeds, cohorts }) =>
      properties.every(isComplete) &&
      deeds.every(({ event, times, within }) => event !== '' && times >= 1 && within >= 1) &&
      cohorts.every(({ id }) => id > 0) &&
      properties.length + deeds.length + cohorts.length > 0,
  );

export const writeCriteria = (groups: readonly CriteriaGroup[]): Item => ({
  properties: { type: 'OR', values: groups.map((group) => ({ type: 'AND', values: writeGroup(group) })) },
});

const writeGroup = ({ properties, deeds, cohorts }: CriteriaGroup): Item[] => [
  ...properties.map((property) => ({ ...property })),
  ...deeds.map(writeDeed),
  ...cohorts.map(({ id, negated }) => ({ type: 'cohort', key: 'id', value: id, negation: negated })),
];

const writeDeed = ({ event, negated, times, within, interval }: Deed): Item => ({
  type: 'behavioral',
  value: times === 1 ? 'performed_event' : 'performed_event_multiple',
  key: event,
  event_type: 'events',
  time_value: within,
  time_interval: interval,
  ...(times === 1 ? {} : { operator: 'gte', operator_value: times }),
  negation: negated,
});
