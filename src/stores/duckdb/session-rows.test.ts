import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import type { Json } from '../../core/json/json.ts';
import type { EventStore, SqlRow, StoredEvent } from '../events/event-store.ts';
import { type EventFileStore, openEventStore } from './event-store.ts';
import { CODED_KEYS } from './session-rows-sql.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 10);

const CODES = CODED_KEYS.map((key) => `${key}_code`).join(', ');
/** A text of the row by its code. */
const textOf = (code: string): string =>
  `(select text from session_texts t where t.project_id = r.project_id and t.code = r.${code})`;
const personOf = `(select cast(v.person_id as varchar) from session_visitors v
  where v.project_id = r.project_id and v.number = r.visitor)`;

/** Codes and numbers depend on what came when; what they stand for does not. Planning a join for each text takes long. */
const ROWS = `select r.* exclude (person_id, number, visitor, ${CODES}), cast(person_id as varchar) as person,
    ${personOf} as visitor_person, ${CODED_KEYS.map((key) => `t.texts[r.${key}_code] as ${key}_text`).join(', ')}
  from session_rows r, (select map_from_entries(list((code, text))) as texts from session_texts) t order by all`;

const VIEWS = `select r.project_id, (select min(s.session) from session_rows s where s.number = r.session) as session_id,
    ${personOf} as person, ${textOf('page')} as path, r.label, r.happened
  from view_rows r order by all`;

const READS = `select r.project_id, (select min(s.session) from session_rows s where s.number = r.session) as session_id,
    ${textOf('page')} as path, r.label, r.happened, r.seconds, r.share
  from read_rows r order by all`;

const VISITORS = `select project_id, cast(person_id as varchar) as person, first_view from session_visitors
  where first_view < ${Number.MAX_SAFE_INTEGER} order by all`;

const rowsOf = async (store: EventStore): Promise<SqlRow[][]> => [
  await store.query(ROWS, []),
  await store.query(VIEWS, []),
  await store.query(READS, []),
  await store.query(VISITORS, []),
];

/** The rows that a fresh store makes of the same events. */
async function rowsMadeAnew(store: EventStore, dir: TempDir): Promise<SqlRow[][]> {
  const events = await store.query(
    `select project_id, cast(uuid as varchar) as uuid, event, distinct_id, cast(person_id as varchar) as person,
      epoch_ms(timestamp) as at, properties from event_rows`,
    [],
  );
  const fresh = await openEventStore(dir.path(`fresh-${Math.random()}.duckdb`));
  await fresh.write({ events: events.map(storedEvent), overrides: [], position: 1 });
  expect(await fresh.prepareSessions(1)).toBe(true);
  const rows = await rowsOf(fresh);
  await fresh.close();
  return rows;
}

const storedEvent = (row: SqlRow): StoredEvent =>
  anEvent({
    projectId: Number(row['project_id']),
    uuid: String(row['uuid']),
    event: String(row['event']),
    distinctId: String(row['distinct_id']),
    personId: String(row['person']),
    timestamp: Number(row['at']),
    properties: JSON.parse(String(row['properties'])) as Record<string, Json>,
  });

const view = (
  session: string,
  at: number,
  over: { event?: string; who?: number; path?: string; more?: Record<string, Json> } = {},
) =>
  anEvent({
    event: over.event ?? '$pageview',
    distinctId: `d${over.who ?? 1}`,
    personId: uuidOf(100 + (over.who ?? 1)),
    timestamp: START + at,
    properties: { $session_id: session, $pathname: over.path ?? '/', ...over.more },
  });

type Step =
  | { kind: 'write'; events: StoredEvent[] }
  | { kind: 'ask' | 'maintain' | 'reopen' }
  | { kind: 'move' | 'remove'; who: number }
  | { kind: 'delete'; before: number };

const someEvent = fc
  .record({
    session: fc.constantFrom('a', 'b', 'c', 'd', 'null', ''),
    at: fc.integer({ min: 0, max: 200 }),
    who: fc.integer({ min: 1, max: 3 }),
    path: fc.constantFrom('/', '/a', '/b'),
    event: fc.constantFrom('$pageview', '$pageview', '$pageleave', 'other'),
    isBot: fc.boolean(),
    host: fc.constantFrom('example.com', 'localhost', 'example.com'),
    read: fc.option(fc.constantFrom('/', '/b', '/read'), { nil: undefined }),
    seconds: fc.constantFrom(0, 2.5, -1, '30', 'long', 100_000),
  })
  .map(({ session, at, who, path, event, isBot, host, read, seconds }) => {
    const told = { $prev_pageview_pathname: read ?? '', $prev_pageview_duration: seconds };
    const more = { $host: host, ...told, ...(isBot ? { $is_bot: true } : {}) };
    return view(session, (at * HOUR) / 2, { event, who, path, more });
  });

const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(someEvent, { maxLength: 6 }).map((events): Step => ({ kind: 'write', events })) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'ask' }, { kind: 'maintain' }, { kind: 'reopen' }) },
  fc.record({ kind: fc.constantFrom('move', 'remove'), who: fc.integer({ min: 1, max: 3 }) }) as fc.Arbitrary<Step>,
  fc.integer({ min: 0, max: 100 }).map((hours): Step => ({ kind: 'delete', before: START + hours * HOUR })),
);

class Story {
  readonly #dir = makeTempDir();
  #store!: EventFileStore;
  #position = 0;
  #reassigned = 0;

  /** Few events are too many, so that earlier ones are made step by step. */
  async open(): Promise<void> {
    this.#store = await openEventStore(this.#dir.path('events.duckdb'), { maxWaitEvents: 3 });
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.open();
    for (const step of steps) {
      await this.#do(step);
      // What is known to be stale does not count.
      expect((await this.#store.verifySessions())?.differing ?? 0).toBe(0);
    }
    while (!(await this.#store.prepareSessions(1))) await this.#store.maintain(0);
    expect(await rowsOf(this.#store)).toEqual(await rowsMadeAnew(this.#store, this.#dir));
    await this.#store.close();
    this.#dir.remove();
  }

  async #do(step: Step): Promise<void> {
    const store = this.#store;
    switch (step.kind) {
      case 'write':
        return store.write({ events: step.events, overrides: [], position: ++this.#position });
      case 'ask':
        await store.prepareSessions(1);
        return;
      case 'maintain':
        await store.maintain(0);
        return;
      case 'reopen':
        await store.close();
        return this.open();
      case 'delete':
        await store.deleteBefore(1, step.before);
        return;
      default:
        await store.reassign([this.#reassignment(step.kind, step.who)]);
    }
  }

  #reassignment(kind: 'move' | 'remove', who: number) {
    const own = { id: ++this.#reassigned, projectId: 1, personId: uuidOf(100 + who) };
    return kind === 'remove'
      ? { ...own, kind, distinctIds: [`d${who}`] }
      : { ...own, kind, moves: [{ distinctId: `d${who}`, to: uuidOf(200 + who) }] };
  }
}

describe('kept sessions', () => {
  it('are those of the events, whatever happened to these', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { minLength: 3, maxLength: 12 }), (steps) => new Story().run(steps)),
      { numRuns: Number(process.env['SESSION_STORIES'] ?? 6), seed: 11 },
    );
  });

  it('have a row for each choice of what to leave out, where that matters', async () => {
    const dir = makeTempDir();
    const store = await openEventStore(dir.path('events.duckdb'));
    const bot = { $is_bot: true };
    const events = [
      view('people', 0),
      view('bot', 0, { more: bot }),
      view('both', 0, { path: '/bot', more: bot }),
      view('both', 1000, { path: '/people' }),
    ];
    await store.write({ events, overrides: [], position: 1 });
    expect(await store.prepareSessions(1)).toBe(true);
    const rows = await store.query('select session, labels_included, entry, views from session_rows order by all', []);
    expect(rows.map((row) => Object.values(row))).toEqual([
      // Bots are counted where bit 0 of the choice is set.
      ['bot', 2, '/', 1],
      ['bot', 8, '/', 1],
      ['both', 1, '/people', 1],
      ['both', 2, '/bot', 2],
      ['both', 4, '/people', 1],
      ['both', 8, '/bot', 2],
      ['people', 15, '/', 1],
    ]);
    await store.close();
    dir.remove();
  });

  it('tell how pages were read, also those of sessions without a view, which are none', async () => {
    const dir = makeTempDir();
    const store = await openEventStore(dir.path('events.duckdb'));
    const leave = (session: string, at: number, seconds: Json, share: Json, more: Record<string, Json> = {}) =>
      view(session, at, {
        event: '$pageleave',
        more: {
          $prev_pageview_pathname: '/read',
          $prev_pageview_duration: seconds,
          $prev_pageview_max_content_percentage: share,
          ...more,
        },
      });
    const events = [
      view('viewed', 0),
      leave('viewed', 1000, 12.5, 0.5),
      leave('viewed', 2000, 'long', 1.5, { $is_bot: true }),
      leave('left', 3000, -1, -1),
      view('other', 4000, { event: 'liked', more: { $prev_pageview_pathname: '/liked' } }),
    ];
    await store.write({ events, overrides: [], position: 1 });
    expect(await store.prepareSessions(1)).toBe(true);
    const reads = await store.query(READS, []);
    expect(
      reads.map(({ session_id, path, label, seconds, share }) => [session_id, path, label, seconds, share]),
    ).toEqual([
      ['left', '/read', 0, null, 0],
      ['viewed', '/read', 0, 12.5, 0.5],
      ['viewed', '/read', 1, null, 1],
    ]);
    const sessions = await store.query('select session, labels_included, views from session_rows order by all', []);
    expect(sessions.map((row) => Object.values(row))).toEqual([
      ['left', 0, 0],
      ['other', 0, 0],
      ['viewed', 15, 1],
    ]);
    expect(await store.verifySessions()).toEqual({ sessions: 1, differing: 0 });
    // A view that comes later makes it a session, and does not tell twice.
    await store.write({ events: [view('left', 3500)], overrides: [], position: 2 });
    await store.prepareSessions(1);
    expect(await store.query(READS, [])).toEqual(reads);
    expect(await store.verifySessions()).toEqual({ sessions: 2, differing: 0 });
    await store.deleteBefore(1, START + 2500);
    await store.prepareSessions(1);
    expect((await store.query(READS, [])).map((row) => row['session_id'])).toEqual(['left']);
    await store.close();
    dir.remove();
  });

  it('begin with their first event, also where a view comes after somebody asked', async () => {
    const dir = makeTempDir();
    const store = await openEventStore(dir.path('events.duckdb'));
    await store.prepareSessions(1);
    const first = view('a', 1000, { event: '$autocapture', more: { $host: 'first.example' } });
    await store.write({ events: [first], overrides: [], position: 1 });
    await store.prepareSessions(1);
    await store.write({ events: [view('a', 5000, { more: { $host: 'later.example' } })], overrides: [], position: 2 });
    await store.prepareSessions(1);
    const rows = await store.query('select started, ended, views, hits, host, entry from session_rows', []);
    expect(
      rows.map((row) => Object.values(row).map((value) => (typeof value === 'bigint' ? Number(value) : value))),
    ).toEqual([[START + 1000, START + 5000, 1, 2, 'first.example', '/']]);
    expect(await store.verifySessions()).toEqual({ sessions: 1, differing: 0 });
    await store.close();
    dir.remove();
  });

  it('are of nobody who was removed, also in the file', async () => {
    const dir = makeTempDir();
    const store = await openEventStore(dir.path('events.duckdb'));
    await store.prepareSessions(1);
    await store.write({
      events: [view('secret-session', 0, { path: '/secret' }), view('other', 0, { who: 2, path: '/other' })],
      overrides: [],
      position: 1,
    });
    await store.prepareSessions(1);
    await store.reassign([{ id: 1, projectId: 1, personId: uuidOf(101), kind: 'remove', distinctIds: [] }]);
    const sessions = await store.query('select session from session_rows', []);
    expect(sessions).toEqual([{ session: 'other' }]);
    await store.purge();
    expect(await store.query('select session from stale_sessions', [])).toEqual([]);
    // Neither the person nor the page that only that person saw.
    const texts = await store.query(`select text from session_texts where text like '/%'`, []);
    expect(texts).toEqual([{ text: '/other' }]);
    const persons = await store.query('select cast(person_id as varchar) as id from session_visitors', []);
    expect(persons).toEqual([{ id: uuidOf(102) }]);
    await store.close();
    dir.remove();
  });

  it('are compared with their events, and made anew where they differ', async () => {
    const dir = makeTempDir();
    const path = dir.path('events.duckdb');
    const store = await openEventStore(path);
    const events = ['longer', 'moved', 'fewer-views', 'gone', 'right'].map((session) => view(session, 0));
    await store.write({ events: [...events, view('fewer-views', 500)], overrides: [], position: 1 });
    expect(await store.verifySessions()).toBeNull();
    await store.prepareSessions(1);
    expect(await store.verifySessions()).toEqual({ sessions: 5, differing: 0 });
    await store.close();

    const tamper = async (...statements: readonly string[]): Promise<void> => {
      const file = await DuckDBInstance.create(path);
      const connection = await file.connect();
      for (const sql of statements) expect((await connection.run(sql)).rowsChanged).toBe(1);
      connection.closeSync();
      file.closeSync();
    };
    await tamper(
      `update session_rows set ended = ended + 1 where session = 'longer'`,
      `update session_rows set views = 2 where session = 'moved'`,
      `delete from view_rows where happened > ${START} and session = (
        select number from session_rows where session = 'fewer-views')`,
      `delete from session_rows where session = 'gone'`,
      `insert into session_rows select * replace ('invented' as session, number + 100 as number)
        from session_rows where session = 'right'`,
    );
    const again = await openEventStore(path);
    // The view of the one that is gone has no session.
    expect(await again.verifySessions()).toEqual({ sessions: 5, differing: 6 });
    await again.prepareSessions(1);
    expect(await again.verifySessions()).toEqual({ sessions: 5, differing: 0 });
    expect(await rowsOf(again)).toEqual(await rowsMadeAnew(again, dir));
    await again.close();

    await tamper(`insert into view_rows select * replace (99 as session) from view_rows limit 1`);
    const last = await openEventStore(path);
    expect(await last.verifySessions()).toEqual({ sessions: 5, differing: 1 });
    expect(await last.verifySessions()).toEqual({ sessions: 5, differing: 0 });
    await last.close();
    dir.remove();
  });

  it('cost nothing before somebody asks', async () => {
    const dir = makeTempDir();
    const store = await openEventStore(dir.path('events.duckdb'));
    await store.write({ events: [view('a', 0)], overrides: [], position: 1 });
    expect(await store.query('select * from stale_sessions', [])).toEqual([]);
    await store.close();
    dir.remove();
  });
});
