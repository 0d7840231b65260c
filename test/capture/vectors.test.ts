/**
 * Recorded requests to a running server: status, body and headers, then what is stored.
 * The cases lie outside of the repository. Each gets a project of its own that holds the case's key.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { withImplicitUpdates } from '../../src/core/persons/person-update.ts';
import { parseTimestamp } from '../../src/core/time/parse-timestamp.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import type { SqlRow } from '../../src/stores/events/event-store.ts';
import { type RawAnswer, send } from '../support/send.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

type Values = Record<string, unknown>;

interface CasePerson {
  distinct_ids: string[];
  properties?: Values;
  is_identified?: boolean;
  created_at?: string;
  version?: number;
  events?: string[];
}

interface Case {
  id: string;
  group: string;
  target: string;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body?: string;
  body_encoding: 'text' | 'base64' | 'none' | 'template';
  body_template?: { prefix: string; fill: string; total_len: number; suffix: string };
  setup?: { now?: string; persons?: CasePerson[]; valid_tokens?: string[]; fault?: string; personal_keys?: string[] };
  expect_status: number;
  expect_body: Values | string | null;
  expect_events: Values[] | null;
  expect_persons: CasePerson[] | null;
  expect_headers?: Record<string, string>;
  expect_headers_absent?: string[];
  expect_ingestion_warnings?: Values[];
  expect_property_definitions?: { name: string; property_type: string | null }[];
  expect_event_properties?: Values;
  expect_event_properties_absent?: string[];
  expect_groups?: { group_type: string; group_type_index: number; group_key: string; group_properties: Values }[];
}

/** Cases that are not followed, each with the rule that wins over it. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'django-031': 'a key of any wrong shape is `invalid_api_key`: the interface, section 5, rule 2',
  'django-033': 'a wrong personal key is `invalid_personal_api_key` on every public path: ruling 3',
  'django-053': 'an invalid uuid refuses its event alone: ruling 21',
  'django-068': 'a recording without a distinct id is accepted and discarded like any other: ruling 1',
  'capture-rs-056': 'a key that cannot be looked up is 503 `fetch_team_fail`: the interface, section 7',
};

/** The log takes nothing in this one: it is as good as a disk that refuses. */
const needsRefusal = (one: Case): boolean => one.setup?.fault === 'event store write fails';

const PROJECT_TOKEN = 'phc_test_project_token';

function bodyOf(one: Case): Buffer | null {
  if (one.body_template) {
    const { prefix, fill, total_len: total, suffix } = one.body_template;
    return Buffer.concat([
      Buffer.from(prefix),
      Buffer.alloc(total - prefix.length - suffix.length, fill),
      Buffer.from(suffix),
    ]);
  }
  if (one.body_encoding === 'none') return null;
  return Buffer.from(one.body ?? '', one.body_encoding === 'base64' ? 'base64' : 'utf8');
}

const ms = (text: string): number => parseTimestamp(text) ?? Number.NaN;

let server: TestServer;
let refusing: TestServer;
let relational: Database.Database;

/** Persons that were there before, written past the server, in the way the server writes them. */
function givePersons({ projectId }: TestProject, persons: readonly CasePerson[]): void {
  const add = relational.prepare(`
    insert into persons (project_id, uuid, created_at, properties, is_identified, version)
    values (?, ?, ?, ?, ?, 0)`);
  const addId = relational.prepare(
    'insert into person_distinct_ids (project_id, distinct_id, person_id, version) values (?, ?, ?, 0)',
  );
  for (const person of persons) {
    const created = person.created_at === undefined ? Date.parse(START) : ms(person.created_at);
    const properties = JSON.stringify(person.properties ?? {});
    const identified = person.is_identified ? 1 : 0;
    const { lastInsertRowid } = add.run(projectId, crypto.randomUUID(), created, properties, identified);
    for (const id of person.distinct_ids) addId.run(projectId, id, lastInsertRowid);
  }
}

interface ShownEvent {
  row: SqlRow;
  props: Values;
}

interface Outcome {
  answer: RawAnswer;
  events: ShownEvent[];
  projectId: number;
}

/** In the order in which they were stored, with the persons to whom they belong now. */
async function storedEvents(projectId: number): Promise<ShownEvent[]> {
  const rows = await server.query('select * from events where project_id = $1', [projectId]);
  const order = await server.query('select uuid from event_rows where project_id = $1 order by rowid', [projectId]);
  return order.flatMap(({ uuid }) => {
    const row = rows.find((other) => other['uuid'] === uuid);
    return row ? [{ row, props: JSON.parse(String(row['properties'])) as Values }] : [];
  });
}

async function run(one: Case): Promise<Outcome> {
  server.setNow(new Date(one.setup?.now === undefined ? START : ms(one.setup.now)).toISOString());
  const tokens = one.setup?.valid_tokens ?? [PROJECT_TOKEN];
  const isPersonal = one.setup?.personal_keys !== undefined;
  const project = isPersonal ? server : await server.createProject({ token: tokens[0] ?? PROJECT_TOKEN });
  givePersons(project, one.setup?.persons ?? []);
  const { method, query, headers } = one;
  const { url } = needsRefusal(one) ? refusing : server;
  const answer = await send(url, one.path, { method, query, headers, body: bodyOf(one) });
  await server.drain();
  return { answer, events: await storedEvents(project.projectId), projectId: project.projectId };
}

function checkAnswer(one: Case, { status, json, text, headers }: RawAnswer): void {
  expect({ status, text: status === one.expect_status ? '' : text }).toEqual({ status: one.expect_status, text: '' });
  const wanted = one.expect_body;
  if (typeof wanted === 'string') expect(text).toBe(wanted);
  else if (wanted !== null) checkBody(wanted, json);
  for (const [name, value] of Object.entries(one.expect_headers ?? {})) {
    const given = String(headers[name.toLowerCase()]);
    // We allow every header that a browser asks for: a superset of the fixed list, and as safe.
    if (name === 'Access-Control-Allow-Headers')
      expect(given.split(',')).toEqual(expect.arrayContaining(value.split(',')));
    else expect([name, given]).toEqual([name, value]);
  }
  for (const name of one.expect_headers_absent ?? []) expect(headers[name.toLowerCase()]).toBeUndefined();
}

function checkBody(wanted: Values, given: Values): void {
  const { detail, detail_prefix: prefix, detail_contains: part, ...exact } = wanted;
  expect(given).toMatchObject(exact);
  const said = String(given['detail']);
  if (typeof detail === 'string') expect(portable(said)).toBe(portable(detail));
  if (typeof prefix === 'string') expect(said.startsWith(prefix)).toBe(true);
  if (typeof part === 'string') expect(said).toContain(part);
}

/** What a parser says about the fault is its own. */
const portable = (detail: string): string =>
  /^Malformed request data: (Invalid JSON: |Failed to decompress data\.)/.exec(detail)?.[0] ?? detail;

/** Where each field of an expected event is found in ours. */
function shown({ row, props }: ShownEvent, want: Values): Values {
  const at = (value: unknown): string => new Date(Number(value)).toISOString();
  const fields: Record<string, () => unknown> = {
    uuid: () => row['uuid'],
    event: () => row['event'],
    distinct_id: () => row['distinct_id'],
    timestamp: () => at(row['timestamp']),
    sent_at: () => props['$sent_at'],
    ip: () => props['$ip'],
    token: () => props['token'] ?? want['token'],
    prop: () => props['prop'],
    $set: () => props['$set'] ?? null,
    $set_once: () => props['$set_once'] ?? null,
    properties: () => props,
  };
  return Object.fromEntries(Object.entries(fields).flatMap(([name, read]) => (name in want ? [[name, read()]] : [])));
}

/** Elements are kept as a chain, and recorded requests say what they sent, not what was made of it. */
function comparable(want: Values): Values {
  const { elements: _elements, raw_timestamp: _time, raw_offset: _offset, ...kept } = want;
  for (const name of ['timestamp', 'sent_at'] as const) {
    if (typeof kept[name] === 'string') kept[name] = new Date(ms(kept[name])).toISOString();
  }
  for (const name of ['$set', '$set_once'] as const) {
    // Implicit updates come on top of what was sent.
    if (kept[name] === null || Object.keys(kept[name] ?? {}).length === 0) delete kept[name];
    else kept[name] = expect.objectContaining(kept[name] as Values);
  }
  if (kept['properties']) {
    const { $elements: _sent, $process_person_profile: _flag, ...properties } = kept['properties'] as Values;
    delete properties['$set'];
    delete properties['$set_once'];
    kept['properties'] = expect.objectContaining(properties);
  }
  return kept;
}

function checkEvents(one: Case, { events }: Outcome): void {
  if (one.expect_events === null) return;
  const wanted = one.expect_events.map(comparable);
  expect(events.map((event, i) => shown(event, wanted[i] ?? { event: '' }))).toEqual(wanted);
  for (const event of events) {
    const props = withImplicitUpdates({ event: String(event.row['event']), properties: event.props as JsonObject });
    expect(props).toMatchObject(one.expect_event_properties ?? {});
    for (const name of one.expect_event_properties_absent ?? []) expect(props).not.toHaveProperty([name]);
  }
}

async function storedPersons({ projectId, events }: Outcome): Promise<CasePerson[]> {
  const rows = await server.rows('select * from persons where project_id = ?', projectId);
  const persons = rows.map(async (row): Promise<CasePerson> => {
    const { $creator_event_uuid: _creator, ...properties } = JSON.parse(row.properties);
    const ids = await server.rows('select distinct_id from person_distinct_ids where person_id = ?', row.id);
    return {
      distinct_ids: ids.map((id) => id.distinct_id).sort(),
      properties,
      is_identified: row.is_identified === 1,
      created_at: new Date(row.created_at).toISOString(),
      version: row.version,
      events: events.filter((event) => event.row['person_id'] === row.uuid).map((event) => String(event.row['event'])),
    };
  });
  return Promise.all(persons);
}

async function checkPersons(one: Case, outcome: Outcome): Promise<void> {
  if (one.expect_persons === null) return;
  const byIds = (a: CasePerson, b: CasePerson): number => (a.distinct_ids.join() < b.distinct_ids.join() ? -1 : 1);
  const wanted = one.expect_persons
    .map(({ distinct_ids, properties, is_identified, created_at, version, events }) => ({
      distinct_ids: [...distinct_ids].sort(),
      ...(properties === undefined ? {} : { properties }),
      ...(is_identified === undefined ? {} : { is_identified }),
      ...(created_at === undefined ? {} : { created_at: new Date(ms(created_at)).toISOString() }),
      ...(version === undefined ? {} : { version }),
      ...(events === undefined ? {} : { events }),
    }))
    .sort(byIds);
  const stored = (await storedPersons(outcome)).sort(byIds);
  expect(stored.map((person) => person.distinct_ids)).toEqual(wanted.map((person) => person.distinct_ids));
  wanted.forEach((person, i) => {
    const like = Object.fromEntries(Object.entries(stored[i] ?? {}).filter(([name]) => name in person));
    expect(like).toEqual(person);
  });
}

async function checkBooks(one: Case, { projectId }: Outcome): Promise<void> {
  const rows = await server.rows('select type, details from ingestion_warnings where project_id = ?', projectId);
  const warnings = rows.map(({ type, details }) => ({ type, ...JSON.parse(details) }));
  for (const want of one.expect_ingestion_warnings ?? [])
    expect(warnings).toContainEqual(expect.objectContaining(want));
  for (const { name, property_type } of one.expect_property_definitions ?? []) {
    const sql = `select property_type from property_definitions where project_id = ? and kind = 'event' and name = ?`;
    expect(await server.rows(sql, projectId, name)).toEqual([{ property_type }]);
  }
  for (const group of one.expect_groups ?? []) {
    const [row] = await server.rows(
      `select t.name, g.type_index, g.group_key, g.properties from groups g
      join group_types t on t.project_id = g.project_id and t.type_index = g.type_index where g.project_id = ?`,
      projectId,
    );
    expect({
      group_type: row.name,
      group_type_index: row.type_index,
      group_key: row.group_key,
      group_properties: JSON.parse(row.properties),
    }).toEqual(group);
  }
}

describeVectors<{ cases: Case[] }>('recorded requests through HTTP', 'ingest-cases.json', ({ cases: all }) => {
  beforeAll(async () => {
    server = await startServer({ config: { trustProxy: true } });
    refusing = await startServer({
      config: { ingestLogMaxBytes: 1, initProjectApiKey: PROJECT_TOKEN, trustProxy: true },
    });
    relational = new Database(join(server.dataDir, DATA_FILES.metadata), { timeout: 5000 });
  });
  afterAll(async () => {
    relational.close();
    await server.close();
    await refusing.close();
  });

  const cases = all.filter(({ target }) => target.startsWith('must') || target.startsWith('should'));
  const followed = cases.filter(({ id }) => NOT_FOLLOWED[id] === undefined);
  it('names only cases that exist as not followed', () => {
    expect(cases.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(NOT_FOLLOWED)));
  });

  it.each(followed.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const outcome = await run(one);
    checkAnswer(one, outcome.answer);
    checkEvents(one, outcome);
    await checkPersons(one, outcome);
    await checkBooks(one, outcome);
  });
});
