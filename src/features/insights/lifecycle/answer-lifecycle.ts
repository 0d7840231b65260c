import type { Entity } from '../../../core/actions/entity.ts';
import { startOfInterval } from '../../../core/time/interval.ts';
import { type Tick, tickNames, ticksOf } from '../../../core/time/ticks.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps, ScanDeps } from '../../../query/query-deps.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { LifecycleItem } from '../rules/answers.ts';
import { LIFECYCLE_STATUSES, type LifecyclePeopleQuestion, type LifecycleQuestion } from '../rules/question.ts';
import { sum } from '../rules/statistics.ts';
import {
  type ActivityBits,
  activitySql,
  MAX_BITMAP_TICKS,
  queryActivityBits,
  wordColumns,
} from '../shared/activity-bitmaps.ts';
import { tickSql } from '../shared/tick-sql.ts';

export async function answerLifecycle(
  deps: ScanDeps,
  projectId: number,
  question: LifecycleQuestion,
): Promise<LifecycleItem[]> {
  const { entity, interval, timezone } = question;
  if (entity === null) return [];
  const query = await prepareEntity(deps, projectId, question, entity);
  const counts = await countByStatus(deps, query.begin(), question, entity);
  const shown = ticksIn(question);
  const names = tickNames(
    shown.map(({ start }) => start),
    interval,
    timezone,
  );
  return LIFECYCLE_STATUSES.map((status) => {
    // The first interval is before those that are shown.
    const found = shown.map((_, at) => counts.get(`${status} ${at + 1}`) ?? 0);
    const data = found.map((count) => (status === 'dormant' && count > 0 ? -count : count));
    const [days, labels] = [names.map(({ day }) => day), names.map(({ label }) => label)];
    return { status, label: `${entity.name} - ${status}`, data, count: sum(data), days, labels };
  });
}

/** `status interval` → count. */
type Counts = ReadonlyMap<string, number>;

async function countByStatus(
  deps: ScanDeps,
  statement: EventStatement,
  question: LifecycleQuestion,
  entity: Entity,
): Promise<Counts> {
  if (boundsIn(question).length - 1 <= MAX_BITMAP_TICKS) return countByBitmap(deps, statement, question, entity);
  const rows = await statement.query(
    `select status, tick, count(*) as n from (${statusSql(statement, question, entity)}) s group by status, tick`,
  );
  return new Map(rows.map(({ status, tick, n }) => [`${status} ${tick}`, Number(n)]));
}

async function countByBitmap(
  deps: ScanDeps,
  statement: EventStatement,
  question: LifecycleQuestion,
  entity: Entity,
): Promise<Counts> {
  const { sql } = statement;
  const bounds = boundsIn(question);
  const ticks = bounds.length - 1;
  const range = { from: bounds[0] ?? 0, until: bounds.at(-1) ?? 0 };
  const activity = activitySql(statement, {
    actor: { kind: 'person' },
    ticks,
    tick: tickSql(sql, 'e.timestamp', bounds),
    value: null,
    join: '',
    where: `${statement.inProject()} and ${statement.during(range)} and ${statement.isOf(entity)}
      and ${statement.matches(question.filter)}`,
  });
  const created = `select person_id, ${createdSql(sql, bounds, 'created_at')} as created from person_rows
    where project_id = ${sql.param(statement.projectId)}`;
  const persons = `select b.*, c.created as created from (${activity}) b join (${created}) c on c.person_id = b.actor`;
  const bitsQuery = { actors: persons, bits: wordColumns(ticks), numbers: ['created'] };
  return countStatuses(await queryActivityBits(deps, statement, bitsQuery), ticks);
}

/** Resurrecting: active, neither new nor active before. Dormant: active before, but not now. */
function countStatuses(bits: ActivityBits, ticks: number): Counts {
  const [active, returning, fresh] = [new Float64Array(ticks), new Float64Array(ticks), new Float64Array(ticks)];
  const created = bits.numbers('created');
  for (let person = 0; person < bits.actors; person++) {
    let before = -1;
    bits.eachTick(person, (tick) => {
      (active[tick] as number)++;
      if (before === -1) {
        if (created[person] === tick) (fresh[tick] as number)++;
      } else if (before === tick - 1) (returning[tick] as number)++;
      before = tick;
    });
  }
  const counts = new Map<string, number>();
  for (let tick = 1; tick < ticks; tick++) {
    const [here, again, now] = [active[tick] as number, returning[tick] as number, fresh[tick] as number];
    counts.set(`new ${tick}`, now);
    counts.set(`returning ${tick}`, again);
    counts.set(`resurrecting ${tick}`, here - again - now);
    counts.set(`dormant ${tick}`, (active[tick - 1] as number) - again);
  }
  return counts;
}

/** The interval in which a person was created; -1 outside of all. */
function createdSql(sql: SqlBuilder, bounds: readonly number[], column: string): string {
  return `case when ${column} >= ${sql.time(bounds[0] ?? 0)} and ${column} < ${sql.time(bounds.at(-1) ?? 0)}
    then ${tickSql(sql, column, bounds)} else -1 end`;
}

const prepareEntity = (
  deps: QueryDeps,
  projectId: number,
  { filter, timezone }: LifecycleQuestion,
  entity: Entity,
): Promise<EventQuery> =>
  prepareEventQuery(deps, projectId, { filters: [filter], entities: [entity], timezone, hasActors: true });

const ticksIn = ({ range, interval, timezone }: LifecycleQuestion): Tick[] =>
  ticksOf(range, interval, timezone, 'monday');

/** The starts of the intervals, with one more before them for who was active already, and the end of the last. */
function boundsIn(question: LifecycleQuestion): number[] {
  const { interval, timezone, range } = question;
  const shown = ticksIn(question);
  const before = startOfInterval((shown[0]?.start ?? range.from) - 1, interval, timezone, 'monday');
  return [before, ...shown.map(({ start }) => start), shown.at(-1)?.end ?? range.until];
}

/** The status of each person by interval: new in the one they were created in, unless they were active before. */
function statusSql(statement: EventStatement, question: LifecycleQuestion, entity: Entity): string {
  const { sql } = statement;
  const bounds = boundsIn(question);
  const [from, until] = [bounds[0] ?? 0, bounds.at(-1) ?? 0];
  const created = createdSql(sql, bounds, 'p.created_at');
  const active = `select p.person_id as person, ${tickSql(sql, 'e.timestamp', bounds)} as tick, min(${created}) as created
    ${statement.from()}
    where ${statement.inProject()} and ${statement.during({ from, until })} and ${statement.isOf(entity)}
      and ${statement.matches(question.filter)} and p.person_id is not null
    group by 1, 2`;
  const known = `select person, tick, created,
      max(tick) over (partition by person order by tick rows between 1 preceding and 1 preceding) as before,
      max(tick) over (partition by person order by tick rows between 1 following and 1 following) as after
    from (${active}) a`;
  const last = sql.integer(bounds.length - 2);
  return `with known as (${known})
    select person, tick, case
        when created = tick and before is null then 'new'
        when before = tick - 1 then 'returning'
        else 'resurrecting'
      end as status
    from known where tick > 0
    union all
    select person, tick + 1 as tick, 'dormant' as status
    from known where tick < ${last} and (after is null or after > tick + 1)`;
}

/** In the order of their ids. */
export async function findLifecyclePeople(
  deps: QueryDeps,
  projectId: number,
  { lifecycle, target, status }: LifecyclePeopleQuestion,
  { limit, offset }: Page,
): Promise<string[]> {
  const { entity, interval, timezone } = lifecycle;
  if (entity === null) return [];
  const start = startOfInterval(target, interval, timezone, 'monday');
  const tick = ticksIn(lifecycle).findIndex((one) => one.start === start) + 1;
  if (tick === 0) return [];
  const query = await prepareEntity(deps, projectId, lifecycle, entity);
  const statement = query.begin();
  const { sql } = statement;
  const rows = await statement.query(
    `select cast(person as varchar) as person from (${statusSql(statement, lifecycle, entity)}) s
    where tick = ${sql.integer(tick)} and status = ${sql.param(status)}
    order by person limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => String(row['person']));
}
