/**
 * The sessions with an event that was received in the interval, as they are now. One that goes on is in a later file
 * again, with its new numbers.
 */
import { DAY_MS } from '../../../core/time/units.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import { propertyTextSql, sessionIdSql } from '../../../stores/events/session-columns.ts';
import type { ModelReader, ReaderDeps, ReadRun, Slice } from './model-reader.ts';

/** About, as text. */
const SESSION_BYTES = 500;
const TEXTS = [
  ['entry_current_url', '$current_url'],
  ['entry_referring_domain', '$referring_domain'],
  ['entry_utm_source', 'utm_source'],
  ['entry_utm_medium', 'utm_medium'],
  ['entry_utm_campaign', 'utm_campaign'],
] as const;
const ORDER = ['happened', 'id'];

export async function sessionReader(deps: ReaderDeps, { project, run }: ReadRun): Promise<ModelReader> {
  const late: string[] = [];
  const { batchExports } = deps.metadata;
  for (let after = 0; ; ) {
    const rows = await batchExports.listLate(run.id, run.exportId, after, Number.POSITIVE_INFINITY);
    const last = rows.at(-1);
    if (last === undefined) break;
    late.push(...rows.flatMap(({ uuids }) => uuids));
    after = last.id;
  }

  /** The sessions of a slice, and the time of the events that tell so. */
  const touched = (sql: SqlBuilder, after: string | null, upTo: string | null): string => {
    const inTime = `(e.created_at >= ${sql.time(run.startAt)} and e.created_at < ${sql.time(run.endAt)})`;
    const isLate = (): string =>
      `e.uuid in (select cast(u.uuid as UUID) from ${sql.rows(
        ['uuid'],
        late.map((uuid) => ({ uuid })),
      )} u)`;
    const isIn = late.length === 0 ? inTime : `(${inTime} or ${isLate()})`;
    return `select session, min(happened) as first_at, max(happened) as last_at from (
        select ${sessionIdSql(sql)} as session, e.timestamp as happened from event_rows e
        where e.project_id = ${sql.param(project.id)} and ${isIn}
      ) t
      where session <> ''
        and ${after === null ? 'true' : `session > ${sql.param(after)}`}
        and ${upTo === null ? 'true' : `session <= ${sql.param(upTo)}`}
      group by session`;
  };

  return {
    isOutdated: async () => false,
    async next(position, { rows, bytes }) {
      const after = position === null ? null : String(JSON.parse(position));
      const sql = deps.dialect.newStatement('e');
      const limit = Math.max(1, Math.min(rows, Math.floor(bytes / SESSION_BYTES)));
      const [last] = await deps.events.query(
        `select max(session) as session, count(*) as sessions from (
          select session from (${touched(sql, after, null)}) t order by session limit ${sql.param(limit)}
        ) p`,
        sql.values,
      );
      const count = Number(last?.['sessions'] ?? 0);
      if (count === 0) return null;
      const upTo = String(last?.['session']);
      const slice: Slice = {
        position: JSON.stringify(upTo),
        bytes: count * SESSION_BYTES,
        async lines() {
          const { sql: text, values } = statement(upTo, (of, time) => of.ms(time));
          return (await deps.events.query(text, values)).map(lineOf);
        },
        statement: () => statement(upTo, (of, time) => of.timestamp(time)),
      };
      const statement = (end: string, timeSql: (of: SqlBuilder, time: string) => string) => {
        const of = deps.dialect.newStatement('e');
        return { sql: sessionsSql(of, touched(of, after, end), project.id, timeSql), values: of.values };
      };
      return slice;
    },
  };
}

/** All events of these sessions count, as far as they lie within a day of those that were received. */
function sessionsSql(
  sql: SqlBuilder,
  touched: string,
  projectId: number,
  timeSql: (sql: SqlBuilder, time: string) => string,
): string {
  const day = { months: 0, ms: DAY_MS };
  const back = { months: 0, ms: -DAY_MS };
  const texts = TEXTS.map(([name, key]) => `${propertyTextSql(sql, key)} as ${name}`);
  const isPage = `entry_current_url <> ''`;
  return `with touched as (${touched}), found as (
      select ${sessionIdSql(sql)} as session, e.timestamp as happened, e.uuid as id, e.event as event,
        e.person_id as person, e.distinct_id as distinct_id, ${texts.join(', ')}
      from events e
      where e.project_id = ${sql.param(projectId)}
        and e.timestamp >= ${sql.addSpan('(select min(first_at) from touched)', back)}
        and e.timestamp <= ${sql.addSpan('(select max(last_at) from touched)', day)}
    ), grouped as (
      select f.session as session, min(f.happened) as started, max(f.happened) as ended, count(*) as event_count,
        sum(case when f.event = '$pageview' then 1 else 0 end) as pageview_count,
        ${sql.lastRow(['person', 'distinct_id'], ORDER, 'true')} as last_event,
        ${sql.firstRow(
          TEXTS.map(([name]) => name),
          ORDER,
          isPage,
        )} as first_page,
        ${sql.lastRow(['entry_current_url'], ORDER, isPage)} as last_page
      from found f join touched t on t.session = f.session
      where f.happened >= ${sql.addSpan('t.first_at', back)} and f.happened <= ${sql.addSpan('t.last_at', day)}
      group by f.session
    )
    select session as session_id, ${sql.rowValue('last_event', 0)} as person_id,
      ${sql.rowValue('last_event', 1)} as distinct_id,
      ${timeSql(sql, 'started')} as start_timestamp, ${timeSql(sql, 'ended')} as end_timestamp,
      ${sql.quotient(`(${sql.ms('ended')} - ${sql.ms('started')})`, sql.integer(1000))} as session_duration,
      event_count, pageview_count,
      ${TEXTS.map(([name], at) => `coalesce(${sql.rowValue('first_page', at)}, '') as ${name}`).join(', ')},
      coalesce(${sql.rowValue('last_page', 0)}, '') as end_current_url
    from grouped
    order by session`;
}

const lineOf = (row: SqlRow): string =>
  JSON.stringify({
    ...row,
    person_id: String(row['person_id']),
    start_timestamp: new Date(Number(row['start_timestamp'])).toISOString(),
    end_timestamp: new Date(Number(row['end_timestamp'])).toISOString(),
    session_duration: Number(row['session_duration']),
    event_count: Number(row['event_count']),
    pageview_count: Number(row['pageview_count']),
  });
