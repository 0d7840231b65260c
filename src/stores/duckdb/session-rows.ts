/**
 * Keeps a row for each session with an id (`session_rows`), for each of its views (`view_rows`), and for each time it is
 * told how a page was read (`read_rows`), so that questions about a site need not group its events. They have numbers
 * instead of persons (`session_visitors`) and texts (`session_texts`).
 *
 * A transaction that changes events only notes which sessions are stale. Their rows are made anew from their events, in
 * the background and before they are read: so late events, deletions and crashes need no rules of their own. Nothing is
 * noted before somebody has asked about a site; then the sessions of all earlier events are made, a while at a time. Views
 * and leaves without a session id are not kept, only the days that have them.
 */
import { type DuckDBConnection, INTEGER, LIST, listValue, TIMESTAMP, VARCHAR } from '@duckdb/node-api';
import { HOT_PROPERTIES } from '../../core/events/hot-properties.ts';
import { DAY_MS, HOUR_MS } from '../../core/time/units.ts';
import { isSessionId } from '../../core/web/web-session.ts';
import type { StoredEvent } from '../events/event-store.ts';
import { appendChunks } from './append-chunks.ts';
import { integerColumn, textColumn, timestampColumn } from './column-writer.ts';
import { chunks } from './event-rows.ts';
import { inTransaction } from './in-transaction.ts';
import { readNumber } from './schema.ts';
import { DELETE_UNUSED, LOOSE_EVENTS, looseDaysSql, makeSessionsSql, REPAIR_FIRST_VIEWS } from './session-rows-sql.ts';

/** So many stale sessions are worth a step in the background. */
const STEP_SESSIONS = 5000;
/** And so many are made anew while a question waits. */
const MAX_WAIT_SESSIONS = 20_000;
const MAX_WAIT_EVENTS = 150_000;
/** About how long writes wait for a step over earlier events. */
const STEP_MS = 100;

/** What happened in sessions: `session` is the number of the session. */
const TABLES_OF_SESSIONS = ['view_rows', 'read_rows'] as const;

const SESSION_INDEX = HOT_PROPERTIES.indexOf('$session_id');

interface SessionOptions {
  /** So many earlier events are made to sessions at once when the first question comes. */
  maxWaitEvents?: number;
}

interface StaleSession {
  projectId: number;
  session: string;
  since: number;
}

interface ViewDay {
  projectId: number;
  day: number;
}

export class DuckDbSessions {
  #isKept: boolean;
  /** Sessions of events before this time have been made; null: all. */
  #madeUntil: number | null;
  /** How many sessions may be stale. */
  #stale: number;
  #windowMs = HOUR_MS;

  readonly #maxWaitEvents: number;

  private constructor(isKept: boolean, madeUntil: number | null, stale: number, maxWaitEvents: number) {
    this.#maxWaitEvents = maxWaitEvents;
    this.#isKept = isKept;
    this.#madeUntil = madeUntil;
    this.#stale = stale;
  }

  static async load(
    writer: DuckDBConnection,
    { maxWaitEvents = MAX_WAIT_EVENTS }: SessionOptions = {},
  ): Promise<DuckDbSessions> {
    const [row] = await (await writer.run('select is_kept, epoch_ms(made_until) from session_state')).getRowsJS();
    const madeUntil = row?.[1] ?? null;
    const stale = await readNumber(writer, 'select count(*) from stale_sessions');
    return new DuckDbSessions(row?.[0] === true, madeUntil === null ? null : Number(madeUntil), stale, maxWaitEvents);
  }

  /** Whether there is nothing to do before rows are read. */
  isCurrent(): boolean {
    return this.#isKept && this.#madeUntil === null && this.#stale === 0;
  }

  isDue(): boolean {
    return this.#isKept && (this.#madeUntil !== null || this.#stale >= STEP_SESSIONS);
  }

  /** Does a piece of work; false if there is none. */
  async step(writer: DuckDBConnection): Promise<boolean> {
    if (!this.isDue()) return false;
    if (this.#madeUntil === null) await this.#refresh(writer, null, STEP_SESSIONS);
    else await this.#makeEarlier(writer, this.#madeUntil, this.#windowMs);
    return true;
  }

  /** Notes the sessions of new events, in the transaction that writes them. */
  async note(writer: DuckDBConnection, events: readonly StoredEvent[]): Promise<void> {
    if (!this.#isKept) return;
    const stale = staleSessions(events);
    if (stale.length > 0) await appendChunks(writer, 'stale_sessions', chunks(STALE_COLUMNS, stale));
    await noteDays(writer, looseDays(events));
    this.#stale += stale.length;
  }

  /** Notes the sessions of the events that fit, and removes their rows; before the events are changed. */
  async noteChanged(writer: DuckDBConnection, condition: string, ...given: RunValues): Promise<void> {
    if (!this.#isKept) return;
    const sessions = `select distinct project_id, "$session_id" as session from event_rows
      where coalesce("$session_id", '') <> '' and ${condition}`;
    const { rowsChanged } = await writer.run(
      `insert into stale_sessions select project_id, session, timestamp '-infinity' from (${sessions})`,
      ...given,
    );
    this.#stale += rowsChanged;
    // Not by the condition again: it would read the events three more times.
    await writer.run(`create or replace temp table changed_sessions as
      select distinct r.number from session_rows r
      join stale_sessions s on s.project_id = r.project_id and s.session = r.session
      where s.since = timestamp '-infinity'`);
    await writer.run(`update session_visitors set first_view = null where (project_id, number) in (
      select project_id, visitor from view_rows where session in (select number from changed_sessions))`);
    for (const table of TABLES_OF_SESSIONS) {
      await writer.run(`delete from ${table} where session in (select number from changed_sessions)`);
    }
    await writer.run('delete from session_rows where number in (select number from changed_sessions)');
  }

  /** Brings the project's rows up to date; false if that takes too long for a question to wait. */
  async prepare(writer: DuckDBConnection, projectId: number): Promise<boolean> {
    if (!this.#isKept) await this.#begin(writer);
    if (this.#madeUntil !== null) return false;
    const stale = 'select count(distinct session) from stale_sessions where project_id = ';
    const count = this.#stale === 0 ? 0 : await readNumber(writer, `${stale}${Math.trunc(projectId)}`);
    if (count > MAX_WAIT_SESSIONS) return false;
    if (count > 0) await this.#refresh(writer, projectId, MAX_WAIT_SESSIONS);
    return true;
  }

  /** Whether all sessions have rows, apart from those that are known to be stale. */
  get areMade(): boolean {
    return this.#isKept && this.#madeUntil === null;
  }

  /** Has these sessions made anew, from all of their events, and removes views of none. */
  async noteDiffering(writer: DuckDBConnection, sessions: readonly Omit<StaleSession, 'since'>[]): Promise<void> {
    if (sessions.length === 0) return;
    const stale = sessions.filter(({ session }) => session !== '');
    await inTransaction(writer, async () => {
      // Without their type, empty lists are refused.
      await writer.run(
        `insert into stale_sessions
        select project_id, session, timestamp '-infinity' from (select unnest($1) as project_id, unnest($2) as session)`,
        [listValue(stale.map(({ projectId }) => projectId)), listValue(stale.map(({ session }) => session))],
        [LIST(INTEGER), LIST(VARCHAR)],
      );
      for (const table of TABLES_OF_SESSIONS) {
        await writer.run(`delete from ${table} where session not in (select number from session_rows)`);
      }
    });
    this.#stale += stale.length;
  }

  /** Makes everything that is stale, so that nothing about removed events is left. */
  async settle(writer: DuckDBConnection): Promise<void> {
    while (this.#stale > 0) await this.#refresh(writer, null, MAX_WAIT_SESSIONS);
    for (const sql of DELETE_UNUSED) await writer.run(sql);
  }

  /** From now on sessions are noted; those of earlier events are made step by step, or at once where they are few. */
  async #begin(writer: DuckDBConnection): Promise<void> {
    const first = 'select min(timestamp) from event_rows';
    await writer.run(`update session_state set is_kept = true, made_until = (${first})`);
    const [row] = await (await writer.run('select epoch_ms(made_until) from session_state')).getRowsJS();
    this.#madeUntil = row?.[0] === null ? null : Number(row?.[0]);
    this.#isKept = true;
    const isSmall = (await readNumber(writer, 'select count(*) from event_rows')) <= this.#maxWaitEvents;
    if (isSmall && this.#madeUntil !== null) await this.#makeEarlier(writer, this.#madeUntil, Number.POSITIVE_INFINITY);
  }

  /**
   * Makes the sessions with events in a window of time, from their events until its end: a session that goes on is made
   * again with the next window.
   */
  async #makeEarlier(writer: DuckDBConnection, from: number, length: number): Promise<void> {
    const start = performance.now();
    const isAll = !Number.isFinite(length);
    const until = from + (isAll ? 0 : length);
    const window = isAll
      ? 'true'
      : `timestamp >= make_timestamp_ms(${from}) and timestamp < make_timestamp_ms(${until})`;
    const { next, sessions } = await inTransaction(writer, async () => {
      await makeDue(
        writer,
        `select distinct project_id, "$session_id" as session, make_timestamp_ms(${from}) as since
        from event_rows where coalesce("$session_id", '') <> '' and ${window}`,
      );
      await replaceDue(writer, isAll ? null : until);
      const days = looseDaysSql(window);
      await writer.run(`insert into loose_view_days ${days.sql}`, [...days.values]);
      // Stretches without events are skipped.
      const rest = isAll
        ? 'null'
        : `(select min(timestamp) from event_rows where timestamp >= make_timestamp_ms(${until}))`;
      await writer.run(`update session_state set made_until = ${rest}`);
      const [row] = await (await writer.run('select epoch_ms(made_until) from session_state')).getRowsJS();
      return { next: row?.[0] ?? null, sessions: await readNumber(writer, 'select count(*) from due_sessions') };
    });
    this.#madeUntil = next === null ? null : Number(next);
    // A step costs something whatever it makes, the more the more rows there are: small ones are not made smaller still.
    const factor = sessions < STEP_SESSIONS ? 2 : STEP_MS / Math.max(1, performance.now() - start);
    this.#windowMs = Math.round(
      Math.max(60_000, Math.min(30 * DAY_MS, this.#windowMs * Math.max(0.25, Math.min(2, factor)))),
    );
  }

  async #refresh(writer: DuckDBConnection, projectId: number | null, limit: number): Promise<void> {
    const own = projectId === null ? 'true' : `project_id = ${Math.trunc(projectId)}`;
    const left = await inTransaction(writer, async () => {
      await makeDue(
        writer,
        `select project_id, session, min(since) as since from stale_sessions where ${own}
        group by project_id, session limit ${Math.trunc(limit)}`,
      );
      await replaceDue(writer, null);
      await writer.run(
        'delete from stale_sessions where (project_id, session) in (select project_id, session from due_sessions)',
      );
      return readNumber(writer, 'select count(*) from stale_sessions');
    });
    this.#stale = left;
  }
}

type RunValues = [values?: Parameters<DuckDBConnection['run']>[1], types?: Parameters<DuckDBConnection['run']>[2]];

/**
 * Gives each due session a number of its own. No event of one is earlier than the row that it has, or than `since`.
 * `earlier` is the number of that row.
 */
async function makeDue(writer: DuckDBConnection, sessions: string): Promise<void> {
  await writer.run(`create or replace temp table due_sessions as
    select d.project_id, d.session, least(d.since, coalesce(make_timestamp_ms(min(r.started)), d.since)) as since,
      min(r.number) as earlier, (select coalesce(max(number), 0) from session_rows) + row_number() over () as number
    from (${sessions}) d
    left join session_rows r on r.project_id = d.project_id and r.session = d.session
    group by d.project_id, d.session, d.since`);
}

async function replaceDue(writer: DuckDBConnection, until: number | null): Promise<void> {
  const earlier = '(select earlier from due_sessions where earlier is not null)';
  for (const table of TABLES_OF_SESSIONS) await writer.run(`delete from ${table} where session in ${earlier}`);
  await writer.run(`delete from session_rows where number in ${earlier}`);
  const earliest = `select epoch_ms(min(since)) from due_sessions where not exists (
    select 1 from due_sessions where isinf(since))`;
  const [row] = await (await writer.run(earliest)).getRowsJS();
  const since = row?.[0] === null || row?.[0] === undefined ? null : Number(row[0]);
  for (const { sql, values } of makeSessionsSql({ since, until })) await writer.run(sql, [...values]);
  const isBroken = 'select count(*) from session_visitors where first_view is null';
  if ((await readNumber(writer, isBroken)) > 0) await writer.run(REPAIR_FIRST_VIEWS);
}

const STALE_COLUMNS = [
  [INTEGER, integerColumn<StaleSession>(({ projectId }) => projectId)],
  [VARCHAR, textColumn<StaleSession>(({ session }) => session)],
  [TIMESTAMP, timestampColumn<StaleSession>(({ since }) => since)],
] as const;

function staleSessions(events: readonly StoredEvent[]): StaleSession[] {
  const found = new Map<string, StaleSession>();
  for (const { projectId, hot, timestamp } of events) {
    const session = hot[SESSION_INDEX];
    if (!session) continue;
    const key = `${projectId} ${session}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { projectId, session, since: timestamp });
    else if (timestamp < known.since) known.since = timestamp;
  }
  return [...found.values()];
}

async function noteDays(writer: DuckDBConnection, days: readonly ViewDay[]): Promise<void> {
  if (days.length === 0) return;
  await writer.run(
    `insert into loose_view_days
    select n.project_id, n.day from (select unnest($1) as project_id, unnest($2) as day) n
    where (n.project_id, n.day) not in (select project_id, day from loose_view_days)`,
    [listValue(days.map(({ projectId }) => projectId)), listValue(days.map(({ day }) => day))],
  );
}

/** The days of views, and leaves, without a session id. */
function looseDays(events: readonly StoredEvent[]): ViewDay[] {
  const found = new Map<string, ViewDay>();
  for (const { projectId, event, hot, timestamp } of events) {
    if (!LOOSE_EVENTS.includes(event) || isSessionId(hot[SESSION_INDEX] ?? '')) continue;
    const day = Math.floor(timestamp / DAY_MS);
    found.set(`${projectId} ${day}`, { projectId, day });
  }
  return [...found.values()];
}
