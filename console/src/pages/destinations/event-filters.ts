/** Which events a destination or an export gets: `filters` of the API, as the form changes them. */
import { type AnyFilter, describeFilter, filtersToField, isComplete } from '../../lib/filters.ts';
import { eventLabel } from '../../lib/friendly-names.ts';
import type { Series } from '../insights/question.ts';
import { readFilters } from '../insights/read-question.ts';

/** One kind of events, with filters of its own. */
export type ChosenEvent = Pick<Series, 'event' | 'action' | 'filters'>;

export interface EventFilters {
  /** Any of these; none: every event. */
  events: readonly ChosenEvent[];
  /** All of these. */
  filters: readonly AnyFilter[];
  withoutTestAccounts: boolean;
}

export const NO_EVENT_FILTERS: EventFilters = { events: [], filters: [], withoutTestAccounts: false };

interface StoredEntity {
  id?: unknown;
  name?: unknown;
  properties?: unknown;
}

const listOf = (value: unknown): StoredEntity[] => (Array.isArray(value) ? (value as StoredEntity[]) : []);

export function readEventFilters(stored: Readonly<Record<string, unknown>>): EventFilters {
  const events = listOf(stored['events']).map(({ id = null, properties }) => ({
    event: id === null ? null : String(id),
    action: null,
    filters: readFilters(properties),
  }));
  const actions = listOf(stored['actions']).map(({ id, name, properties }) => ({
    event: '',
    action: { id: Number(id), name: typeof name === 'string' && name !== '' ? name : `Action ${id}` },
    filters: readFilters(properties),
  }));
  return {
    events: [...events, ...actions],
    filters: readFilters(stored['properties']),
    withoutTestAccounts: stored['filter_test_accounts'] === true,
  };
}

const fieldOf = (filters: readonly AnyFilter[]): unknown => filtersToField(filters.filter(isComplete));

/** As the API takes them; lines without an event are left out. */
export const writeEventFilters = ({ events, filters, withoutTestAccounts }: EventFilters) => ({
  events: events.flatMap(({ event, action, filters: own }) =>
    action !== null || event === '' ? [] : [{ id: event, name: event, type: 'events', properties: fieldOf(own) }],
  ),
  actions: events.flatMap(({ action, filters: own }) =>
    action === null ? [] : [{ id: action.id, name: action.name, type: 'actions', properties: fieldOf(own) }],
  ),
  properties: fieldOf(filters),
  filter_test_accounts: withoutTestAccounts,
});

/** 'Pageview, order placed where amount is greater than 100'. */
export function describeEventFilters({ events, filters, withoutTestAccounts }: EventFilters): string {
  const names = events.map(({ event, action, filters: own }) => {
    const name = action?.name ?? (event === null ? 'All events' : eventLabel(event));
    return own.length === 0 ? name : `${name} where ${describe(own)}`;
  });
  const what = names.length === 0 ? 'All events' : names.join(', ');
  const where = filters.length === 0 ? '' : ` where ${describe(filters)}`;
  return `${what}${where}${withoutTestAccounts ? ', without internal and test users' : ''}`;
}

const describe = (filters: readonly AnyFilter[]): string => filters.map((one) => describeFilter(one)).join(' and ');
