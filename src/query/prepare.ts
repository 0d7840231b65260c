/** What has to be known before a question becomes SQL: patterns are tried out, cohorts found, persons copied. */
import type { Breakdown, BreakdownSelection } from '../core/actions/breakdown.ts';
import type { Entity } from '../core/actions/entity.ts';
import type { Filter } from '../core/filters/property-filter.ts';
import type { Range } from '../core/time/range.ts';
import type { Clock } from '../lib/clock.ts';
import type { SqlBuilder } from '../stores/events/dialect.ts';
import type { SqlRow } from '../stores/events/event-store.ts';
import { findCohortUuids } from './cohorts/cohort-filter.ts';
import type { CohortQueryDeps } from './cohorts/cohort-members.ts';
import type { CohortUuids } from './cohorts/cohort-sql.ts';
import { filtersOfStep } from './filters/action-step-sql.ts';
import { needsPerson } from './filters/asks-for-person.ts';
import { findRelated, type RelatedFilters } from './filters/related-filter.ts';
import { validPatterns } from './filters/valid-patterns.ts';
import { findGroupPropertyValues, type GroupPropertyValues } from './group-property-values.ts';

export interface InsightDeps extends CohortQueryDeps {
  clock: Clock;
}

/** What a question mentions. */
interface Mentions {
  filters: readonly Filter[];
  entities: readonly Entity[];
  breakdown?: Breakdown | null;
  slice?: BreakdownSelection | null;
  /** Within a day of which sessions are looked at; all events where it is not said. */
  reach?: Range;
  /** Whether persons are counted, or asked for in some other way than by a filter. */
  hasActors: boolean;
}

export interface Prepared {
  projectId: number;
  patterns: ReadonlySet<string>;
  cohorts: CohortUuids;
  outside: RelatedFilters;
  /** Of the groups whose property divides the numbers. */
  groupTexts: GroupPropertyValues;
  /** Whether the copy of persons has to be joined. */
  hasPersons: boolean;
  /** Whether persons are asked for what they are like, not only who did it. */
  namesPersons: boolean;
  run(statement: { sql: Pick<SqlBuilder, 'values'> }, text: string): Promise<SqlRow[]>;
}

export async function prepare(deps: InsightDeps, projectId: number, mentions: Mentions): Promise<Prepared> {
  const filter: Filter = { kind: 'and', filters: filtersIn(mentions) };
  const namesPersons = needsPerson(filter);
  const hasPersons = mentions.hasActors || namesPersons;
  if (hasPersons) await deps.mirrorPersons(projectId);
  const patterns = await validPatterns(deps, filter);
  return {
    projectId,
    patterns,
    outside: await findRelated(deps, { projectId, patterns, sessionRange: mentions.reach ?? null }, filter),
    cohorts: await findCohortUuids(deps, projectId, filter, deps.clock.now()),
    groupTexts: await groupTextsOf(deps, projectId, mentions),
    hasPersons,
    namesPersons,
    run: (statement, text) => deps.events.query(text, statement.sql.values),
  };
}

function groupTextsOf(
  { metadata }: InsightDeps,
  projectId: number,
  { breakdown, slice }: Mentions,
): Promise<GroupPropertyValues> | GroupPropertyValues {
  const followed = slice?.kind === 'value' || slice?.kind === 'bin' ? slice.breakdown : null;
  const divided = breakdown ?? followed;
  if (divided?.kind !== 'property' || divided.owner !== 'group') return new Map();
  return findGroupPropertyValues(metadata.groups, projectId, divided);
}

/** With cohorts of breakdowns written as filters, so that all are looked for at once. */
function filtersIn({ filters, entities, breakdown, slice }: Mentions): Filter[] {
  const steps = entities.flatMap((entity) => (entity.kind === 'action' ? entity.steps : []));
  const owners = [breakdown, slice?.kind === 'value' || slice?.kind === 'bin' ? slice.breakdown : null];
  const ids = [
    ...(breakdown?.kind === 'cohort' ? breakdown.cohorts.map(({ id }) => id) : []),
    ...(slice?.kind === 'cohort' ? [slice.id] : []),
  ];
  return [
    ...filters,
    ...entities.map((entity) => entity.filter),
    ...steps.flatMap(filtersOfStep),
    ...ids.filter((id) => id !== 'all').map((id): Filter => ({ kind: 'cohort', id, negated: false })),
    ...(owners.some((one) => one?.kind === 'property' && one.owner === 'person') || ids.includes('all')
      ? [ANYBODY]
      : []),
  ];
}

const ANYBODY: Filter = { kind: 'property', owner: 'person', key: '', operator: 'is_set', values: [] };

/** Those who were active lately are looked for before the range. */
const LATELY_MS = 31 * 86_400_000;

/** The events that a question over these ranges may look at. */
export const reachOf = (range: Range, previous: Range | null = null): Range => ({
  from: Math.min(range.from, previous?.from ?? range.from) - LATELY_MS,
  until: range.until,
});
