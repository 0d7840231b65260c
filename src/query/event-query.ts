/**
 * One query about events. What it needs from elsewhere is looked up first: the copy of persons is brought up to date,
 * patterns are checked, members of cohorts found, groups matched. After that it writes any number of statements.
 */
import type { Breakdown, BreakdownSelection } from '../core/actions/breakdown.ts';
import type { TypedExpression } from '../core/expressions/typed-expression.ts';
import { type Filter, propertyFiltersIn } from '../core/filters/property-filter.ts';
import type { Range } from '../core/time/range.ts';
import { DAY_MS } from '../core/time/units.ts';
import type { CohortUuids } from './cohorts/cohort-sql.ts';
import { type EventLookups, EventStatement, type PersonAccess } from './event-statement.ts';
import {
  breakdownExpressions,
  conditionsIn,
  groupPropertiesIn,
  readsPerson,
  readsPersonRows,
} from './expressions/expression-references.ts';
import { findGroupValues } from './expressions/group-values.ts';
import { type EventMatcher, filtersOfMatcher } from './filters/action-step-sql.ts';
import { needsPerson } from './filters/needs-person.ts';
import { matchPersons } from './filters/person-filter.ts';
import { findRelated } from './filters/related-filter.ts';
import { validPatterns } from './filters/valid-patterns.ts';
import { findGroupPropertyValues, type GroupPropertyValues } from './group-property-values.ts';
import type { QueryDeps } from './query-deps.ts';
import { findSessionSettings } from './sessions/session-values-sql.ts';

/** Everything that the statements of a query will mention. */
export interface EventQueryParts {
  filters: readonly Filter[];
  entities?: readonly EventMatcher[];
  breakdown?: Breakdown | null;
  /** One value of a breakdown. */
  selection?: BreakdownSelection | null;
  /** Sessions are read within a day of this range; of all time where it is absent. */
  sessionRange?: Range | null;
  /** Properties of sessions that statements read besides those of filters and breakdowns. */
  sessionProperties?: readonly string[];
  /** Whether statements need the person of each event, whatever the filters say. */
  hasActors: boolean;
  /** `joined` unless given. */
  persons?: PersonAccess;
  /** The calendar of expressions; UTC unless given. */
  timezone?: string;
}

/** Finds the members of every cohort in a filter. */
export type FindCohorts = (filter: Filter) => Promise<CohortUuids>;

export class EventQuery {
  readonly projectId: number;
  readonly #deps: QueryDeps;
  readonly #lookups: EventLookups;

  private constructor(deps: QueryDeps, lookups: EventLookups) {
    this.#deps = deps;
    this.#lookups = lookups;
    this.projectId = lookups.projectId;
  }

  /** `prepareEventQuery` calls this with a `findCohorts` of its own; cohorts that are being calculated bring theirs. */
  static async prepare(
    deps: QueryDeps,
    projectId: number,
    parts: EventQueryParts,
    findCohorts: FindCohorts,
  ): Promise<EventQuery> {
    const { sessionRange = null, timezone = 'UTC' } = parts;
    const filter: Filter = { kind: 'and', filters: filtersIn(parts) };
    const values = breakdownExpressions(propertyBreakdown(parts));
    const expressions = [...conditionsIn(filter), ...values];
    const persons = personAccess(parts, expressions);
    const onPersons = propertyFiltersIn(filter).filter(({ owner }) => owner === 'person');
    const filtersPersons =
      persons === 'current' ? onPersons.length > 0 || expressions.some(readsPersonRows) : needsPerson(filter);
    const hasPersons = parts.hasActors || filtersPersons;
    if (hasPersons && persons !== 'listed') await deps.mirrorPersons(projectId);
    const patterns = await validPatterns(deps, filter, values);
    return new EventQuery(deps, {
      projectId,
      persons,
      hasPersons,
      filtersPersons,
      patterns,
      personMatches: persons === 'listed' ? await matchPersons(deps, projectId, onPersons, patterns) : new Map(),
      related: await findRelated(
        deps,
        {
          projectId,
          patterns,
          sessionRange,
          sessions: await findSessionSettings(deps, projectId, sessionPropertiesIn(parts, filter), sessionRange),
        },
        filter,
      ),
      cohorts: await findCohorts(filter),
      groupValues: await groupValuesOf(deps, projectId, parts),
      expressions: {
        now: deps.clock.now(),
        timezone,
        groupValues: await findGroupValues(deps.metadata.groups, projectId, groupPropertiesIn(expressions)),
      },
    });
  }

  begin(): EventStatement {
    return new EventStatement(this.#deps, this.#lookups);
  }

  /** UUIDs of the members of a cohort that the query mentions; null where there is no such cohort. */
  membersOf(cohortId: number): readonly string[] | null {
    return this.#lookups.cohorts.get(cohortId) ?? null;
  }
}

/** Expressions mix properties of events and persons, so the persons that match cannot be listed beforehand. */
const personAccess = (
  { persons = 'joined' }: EventQueryParts,
  expressions: readonly TypedExpression[],
): PersonAccess => (persons === 'listed' && expressions.some(readsPersonRows) ? 'current' : persons);

const propertyBreakdown = ({ breakdown, selection }: EventQueryParts) => {
  const selected = selection?.kind === 'value' || selection?.kind === 'bin' ? selection.breakdown : null;
  const own = breakdown ?? selected;
  return own?.kind === 'property' ? own : null;
};

function groupValuesOf(
  { metadata }: QueryDeps,
  projectId: number,
  parts: EventQueryParts,
): Promise<GroupPropertyValues> | GroupPropertyValues {
  const breakdown = propertyBreakdown(parts);
  return breakdown?.owner === 'group' ? findGroupPropertyValues(metadata.groups, projectId, breakdown) : new Map();
}

function sessionPropertiesIn(parts: EventQueryParts, filter: Filter): string[] {
  const filtered = propertyFiltersIn(filter).filter(({ owner }) => owner === 'session');
  const split = propertyBreakdown(parts);
  return [
    ...(parts.sessionProperties ?? []),
    ...filtered.map(({ key }) => key),
    ...(split?.owner === 'session' ? split.keys : []),
  ];
}

/** With the cohorts of breakdowns as filters, so that all members are found together. */
function filtersIn(parts: EventQueryParts): Filter[] {
  const { filters, entities = [], breakdown, selection } = parts;
  const ids = [
    ...(breakdown?.kind === 'cohort' ? breakdown.cohorts.map(({ id }) => id) : []),
    ...(selection?.kind === 'cohort' ? [selection.id] : []),
  ];
  const split = propertyBreakdown(parts);
  const readsPersons =
    split?.owner === 'person' || breakdownExpressions(split).some(readsPerson) || ids.includes('all');
  return [
    ...filters,
    ...entities.flatMap(filtersOfMatcher),
    ...ids.filter((id) => id !== 'all').map((id): Filter => ({ kind: 'cohort', id, negated: false })),
    ...(readsPersons ? [ANY_PERSON] : []),
  ];
}

const ANY_PERSON: Filter = { kind: 'property', owner: 'person', key: '', operator: 'is_set', values: [] };

/** Monthly active users are counted from this long before the range. */
const MAX_LOOKBACK_MS = 31 * DAY_MS;

/** The events that a question over these ranges may read. */
export const withLookback = (range: Range, previous: Range | null = null): Range => ({
  from: Math.min(range.from, previous?.from ?? range.from) - MAX_LOOKBACK_MS,
  until: range.until,
});
