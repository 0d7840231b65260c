/** Who entered a funnel, with their attempts: once for each value of the breakdown that they are part of. */
import { invalid } from '../core/errors.ts';
import { normaliseUrl } from '../core/insights/answers/breakdown-values.ts';
import type { Attempt } from '../core/insights/funnel/attempt.ts';
import { largestValues, type Part, tellingStep, ValueDivider } from '../core/insights/funnel/divide-values.ts';
import type { CohortBreakdown, PropertyBreakdown } from '../core/insights/questions/breakdown.ts';
import type { FunnelQuestion, FunnelValue } from '../core/insights/questions/question.ts';
import type { Filter } from '../core/properties/property-filter.ts';
import { type AskedDeps, AskedEvents, filtersOf } from './asked-events.ts';
import { findCohortUuids } from './cohort-filter.ts';
import { type ActorDeeds, deedsSql, funnelEvents, valueKeys } from './funnel-events.ts';
import { type Deed, FunnelWalk, hasBit } from './funnel-walk.ts';

export interface Entrant {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly Attempt[];
}

type Divide = (own: ActorDeeds) => Part<Deed>[];

/** Actor by actor. */
export async function* funnelEntrants(
  deps: AskedDeps,
  projectId: number,
  question: FunnelQuestion,
): AsyncGenerator<Entrant> {
  if (question.steps.length === 0) return;
  checkBreakdown(question);
  const asked = await AskedEvents.prepare(deps, projectId, funnelFilters(question), question.range);
  const divide = await dividerOf(deps, asked, question);
  const walk = new FunnelWalk(question);
  for await (const own of funnelEvents(deps, asked, question)) yield* entrantsOf(own, divide, walk);
}

const funnelFilters = ({ filter, steps, exclusions }: FunnelQuestion): Filter[] => [
  filter,
  ...steps.flatMap(filtersOf),
  ...exclusions.flatMap(({ entity }) => filtersOf(entity)),
];

/** Several small values may have become one. */
function entrantsOf(own: ActorDeeds, divide: Divide, walk: FunnelWalk): Entrant[] {
  const byValue = new Map<string, Entrant>();
  for (const { value, events } of divide(own)) {
    const key = JSON.stringify(value);
    const attempts = [...(byValue.get(key)?.attempts ?? []), ...walk.attemptsOf(events)];
    byValue.set(key, { actor: own.actor, value, attempts });
  }
  return [...byValue.values()].filter(({ attempts }) => attempts.length > 0);
}

function checkBreakdown({ breakdown, actor }: FunnelQuestion): void {
  if (breakdown?.kind === 'cohort' && actor.kind === 'group')
    throw invalid('breakdown_type', 'Groups are in no cohorts: divide a funnel of groups by a property.');
  if (breakdown?.kind !== 'property' || breakdown.owner === 'event' || breakdown.owner === 'person') return;
  throw invalid('breakdown_type', `A funnel cannot be divided by properties of a ${breakdown.owner}.`);
}

async function dividerOf(deps: AskedDeps, asked: AskedEvents, question: FunnelQuestion): Promise<Divide> {
  const { breakdown } = question;
  if (breakdown === null) return ({ deeds }) => [{ value: null, events: deeds }];
  return breakdown.kind === 'cohort'
    ? cohortDivider(deps, asked.projectId, breakdown)
    : valueDivider(deps, asked, question, breakdown);
}

async function cohortDivider(deps: AskedDeps, projectId: number, { cohorts }: CohortBreakdown): Promise<Divide> {
  const filters = cohorts.flatMap(({ id }): Filter[] => (id === 'all' ? [] : [{ kind: 'cohort', id, negated: false }]));
  const uuids = await findCohortUuids(deps, projectId, { kind: 'and', filters }, deps.clock.now());
  const members = new Map([...uuids].map(([id, list]) => [id, new Set(list ?? [])]));
  return ({ actor, deeds }) =>
    cohorts
      .filter(({ id }) => id === 'all' || members.get(id)?.has(actor) === true)
      .map(({ id }) => ({ value: id, events: deeds }));
}

async function valueDivider(
  deps: AskedDeps,
  asked: AskedEvents,
  question: FunnelQuestion,
  breakdown: PropertyBreakdown,
): Promise<Divide> {
  const { steps } = question;
  const shown = breakdown.isUrl ? (values: readonly string[]) => values.map(normaliseUrl) : same;
  const isStep = (deed: Deed): boolean => steps.some((_, step) => hasBit(deed, step));
  const telling = tellingStep(question);
  const kept = largestValues(await countValues(deps, asked, question, shown), breakdown.limit);
  const divider = new ValueDivider<Deed>(
    question,
    breakdown.keys.length,
    {
      valuesOn: ({ values }) => shown(values),
      isStep,
      isTelling: (deed) => (telling === null ? isStep(deed) : hasBit(deed, telling)),
    },
    kept,
  );
  return ({ deeds }) => divider.divide(deeds);
}

const same = <T>(value: T): T => value;

/** So many values are ranked; what comes behind them is far from being among the largest. */
const RANKED = 10_000;

async function countValues(
  deps: AskedDeps,
  asked: AskedEvents,
  question: FunnelQuestion,
  shown: (values: readonly string[]) => readonly string[],
): Promise<[readonly string[], number][]> {
  const sql = deps.dialect.begin('e');
  const telling = tellingStep(question);
  const isTelling = telling === null ? question.steps.map((_, i) => `d.s${i}`).join(' or ') : `d.s${telling}`;
  const columns = valueKeys(question).map((_, i) => `d.v${i}`);
  const rows = await deps.events.query(
    `select ${columns.map((column, i) => `${column} as v${i}`).join(', ')}, count(*) as n
    from (${deedsSql(sql, asked, question)}) d
    where ${isTelling}
    group by ${columns.join(', ')}
    order by n desc, ${columns.map((column) => `${column} desc`).join(', ')}
    limit ${sql.param(RANKED)}`,
    sql.values,
  );
  const counts = new Map<string, [readonly string[], number]>();
  for (const row of rows) {
    const value = shown(columns.map((_, i) => String(row[`v${i}`])));
    const key = JSON.stringify(value);
    counts.set(key, [value, (counts.get(key)?.[1] ?? 0) + Number(row['n'])]);
  }
  return [...counts.values()];
}
