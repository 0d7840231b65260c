/** Out of one installation and into another: nothing is lost, doubled or changed on the way. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch, startCommand } from '../support/cairn.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
let [source, target]: TestServer[] = [];
const from = (): string[] => ['--data-dir', source?.dataDir ?? ''];
const to = (): string[] => ['--data-dir', target?.dataDir ?? ''];

const readLines = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const EVENTS = [
  {
    event: 'seen',
    distinct_id: 'anon',
    timestamp: '2026-01-02T03:04:05.678Z',
    properties: { $browser: 'Firefox', n: 1 },
  },
  {
    event: '$identify',
    distinct_id: 'ada',
    timestamp: '2026-01-03T00:00:00Z',
    properties: { $anon_distinct_id: 'anon', $set: { email: 'ada@example.org', plan: 'free' } },
  },
  {
    event: '$autocapture',
    distinct_id: 'ada',
    timestamp: '2026-01-04T00:00:00Z',
    properties: { $elements_chain: 'a.x:text="Buy"' },
  },
  {
    event: 'paid',
    distinct_id: 'ada',
    timestamp: '2026-01-05T00:00:00Z',
    properties: { price: 9.5, $groups: { club: 'alps' } },
  },
  {
    event: 'paid',
    distinct_id: 'bob',
    timestamp: '2026-01-06T00:00:00Z',
    properties: { text: 'a "b",\nc', list: [1, null] },
  },
  {
    event: 'ghost',
    distinct_id: 'x',
    timestamp: '2026-01-06T00:00:00Z',
    properties: { $process_person_profile: false },
  },
];

beforeAll(async () => {
  source = await startServer();
  target = await startServer({ now: '2026-02-01T00:00:00.000Z' });
  const client = clientFor(source);
  await client.post('/batch/', { key: null, body: { api_key: source.projectKey, batch: EVENTS } });
  await source.drain();
  // Changed by hand: no event tells of it.
  const { body } = await client.get('/api/projects/1/persons/?distinct_id=ada');
  await client.patch(`/api/projects/1/persons/${body.results[0].uuid}/`, { body: { properties: { plan: 'pro' } } });
});
afterAll(async () => {
  await source?.close();
  await target?.close();
  scratch.remove();
});

describe('export', () => {
  it('writes every event in the order of time, with uuid, person and properties as stored', async () => {
    const file = scratch.path('events.ndjson');
    expect(await cairnJson(['export', 'events', '--out', file, ...from()])).toEqual({ file, exported: 6 });
    const events = readLines(file);
    expect(events.map(({ event, timestamp }) => [event, timestamp])).toEqual([
      ['seen', '2026-01-02T03:04:05.678Z'],
      ['$identify', '2026-01-03T00:00:00.000Z'],
      ['$autocapture', '2026-01-04T00:00:00.000Z'],
      ['paid', '2026-01-05T00:00:00.000Z'],
      ...events.slice(4).map(({ event }) => [event, '2026-01-06T00:00:00.000Z']),
    ]);
    expect(events[0]).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: 'seen',
      distinct_id: 'anon',
      person_id: events[1].person_id,
      timestamp: '2026-01-02T03:04:05.678Z',
      created_at: '2026-01-15T12:00:00.000Z',
      elements_chain: '',
      properties: { $browser: 'Firefox', n: 1, $ip: '127.0.0.1' },
    });
    expect(events[2].elements_chain).toBe('a.x:text="Buy"');
  });

  it('narrows by time and name, to standard output too', async () => {
    const range = ['--from', '2026-01-05', '--to', '2026-01-06T00:00:00Z'];
    const { stdout, stderr } = await cairn(['export', 'events', ...range, ...from()]);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['paid']);
    expect(stderr).toBe('1 events exported.\n');
    const paid = await cairn(['export', 'events', '--event', 'paid', '--format', 'csv', ...from()]);
    const [head, , bob] = paid.stdout.split('\r\n');
    expect(head).toBe('uuid,event,distinct_id,person_id,timestamp,created_at,elements_chain,properties');
    expect(bob).toContain(`,paid,bob,`);
    expect(bob).toContain(String.raw`"{""text"":""a \""b\"",\nc"",""list"":[1,null]`);
  });

  it('says what is missing where there are several projects, and which there are none of', async () => {
    const { code, stderr } = await cairn(['export', 'events', '--project', '7', ...from()]);
    expect([code, stderr]).toEqual([1, 'cairn export: There is no project 7. See: cairn projects list\n']);
  });
});

/** What a project holds, in an order of its own. */
async function contents(at: string[], project: number) {
  const [events, persons] = [scratch.path(`e-${project}.ndjson`), scratch.path(`p-${project}.ndjson`)];
  await cairnJson(['export', 'events', '--project', String(project), '--out', events, ...at]);
  await cairnJson(['export', 'persons', '--project', String(project), '--out', persons, ...at]);
  const byKey = (a: Record<string, string>, b: Record<string, string>) =>
    JSON.stringify(a).localeCompare(JSON.stringify(b));
  return {
    events: readLines(events).sort((a, b) => a.uuid.localeCompare(b.uuid)),
    persons: readLines(persons)
      .map((one) => ({ ...one, distinct_ids: one.distinct_ids.sort() }))
      .sort(byKey),
  };
}

describe('export and import', () => {
  it('give the same events and persons, with uuids, times, ids and properties; twice is once', async () => {
    const before = await contents(from(), 1);
    expect(before.persons.map(({ properties }) => properties.plan)).toContain('pro');
    const files = [scratch.path('e-1.ndjson'), scratch.path('p-1.ndjson')];
    const first = await cairnJson(['import', ...files, ...to()]);
    expect(first).toEqual({ events: 6, persons: 2, bad: 0, bad_lines_in: [] });
    expect(await contents(to(), 1)).toEqual(before);
    await cairnJson(['import', ...files, ...to()]);
    expect(await contents(to(), 1)).toEqual(before);
    expect(await target?.counters()).toMatchObject({ accepted: 12, stored: 6, duplicate: 6, pending: 0 });
  });

  it('do so by way of Parquet, into a folder without a server', async () => {
    const [events, persons] = [scratch.path('events.parquet'), scratch.path('persons.parquet')];
    await cairnJson(['export', 'events', '--out', events, ...from()]);
    await cairnJson(['export', 'persons', '--out', persons, ...from()]);
    const folder = ['--data-dir', scratch.path('moved')];
    expect(await cairnJson(['import', events, persons, ...folder])).toMatchObject({ events: 6, persons: 2, bad: 0 });
    expect(await contents(folder, 1)).toEqual(await contents(from(), 1));
  });
});

describe("PostHog's batch exports", () => {
  it('are taken in: properties as text, times without a zone, a line for each id of a person', async () => {
    const { projectId } = (await target?.createProject()) ?? { projectId: 0 };
    const person = '018d4a3f-0000-7000-8000-00000000abcd';
    const uuid = '018d4a3f-0000-7000-8000-000000000001';
    const row = {
      team_id: 3,
      person_id: person,
      properties: '{"plan":"pro"}',
      created_at: '2024-01-01 00:00:00.000000',
    };
    const persons = [
      { ...row, distinct_id: 'eve', person_version: 2 },
      { ...row, distinct_id: 'eve-phone', person_version: 2 },
      { ...row, distinct_id: 'gone', person_id: '018d4a3f-0000-7000-8000-00000000dead', is_deleted: true },
    ];
    const event = {
      uuid,
      event: '$pageview',
      distinct_id: 'eve-phone',
      person_id: person,
      team_id: 3,
      properties: '{"$current_url":"https://example.org/","n":1}',
      person_properties: '{"plan":"pro"}',
      elements_chain: null,
      ip: '203.0.113.9',
      timestamp: '2024-01-31 22:33:44.123456',
      created_at: '2024-01-31 22:33:45.000000',
    };
    const [people, events] = [scratch.path('people.jsonl.gz'), scratch.path('posthog.jsonl')];
    writeFileSync(people, gzipSync(persons.map((one) => `${JSON.stringify(one)}\n`).join('')));
    writeFileSync(events, `${JSON.stringify(event)}\n`);
    const { code, stdout } = await cairn(['import', events, people, '--project', String(projectId), '--json', ...to()]);
    expect([code, JSON.parse(stdout)]).toEqual([
      3,
      { events: 1, persons: 2, bad: 1, bad_lines_in: [`${people}.bad-lines`] },
    ]);
    const found = await contents(to(), projectId);
    expect(found.events).toMatchObject([
      {
        uuid,
        person_id: person,
        timestamp: '2024-01-31T22:33:44.123Z',
        created_at: '2024-01-31T22:33:45.000Z',
        properties: { $current_url: 'https://example.org/', n: 1, $ip: '203.0.113.9' },
      },
    ]);
    expect(found.persons).toMatchObject([
      {
        person_id: person,
        distinct_ids: ['eve', 'eve-phone'],
        created_at: '2024-01-01T00:00:00.000Z',
        properties: { plan: 'pro' },
      },
    ]);
  });
});

describe('import', () => {
  it('leaves bad lines out, counts them, and writes them down with the reason', async () => {
    const { projectId } = (await target?.createProject()) ?? { projectId: 0 };
    const file = scratch.path('mixed.ndjson');
    const good = { event: 'good', distinct_id: 'a', timestamp: '2025-01-01T00:00:00Z' };
    const lines = [
      JSON.stringify(good),
      '{"event": "cut',
      '[]',
      '',
      JSON.stringify({ ...good, timestamp: 'soon' }),
      JSON.stringify({ ...good, uuid: 'no' }),
      JSON.stringify({ ...good, distinct_id: '' }),
      JSON.stringify({ ...good, event: '$snapshot' }),
      JSON.stringify({ hello: 'world' }),
      JSON.stringify(good),
    ];
    writeFileSync(file, lines.join('\n'));
    const { code, stdout } = await cairn(['import', file, '--project', String(projectId), ...to()]);
    expect([code, stdout]).toEqual([
      3,
      `2 events and 0 persons imported.\n7 lines were skipped; see ${file}.bad-lines for the reasons.\n`,
    ]);
    expect(readLines(`${file}.bad-lines`).map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'it is not JSON'],
      [3, 'it is not a JSON object'],
      [5, 'its timestamp cannot be read'],
      [6, 'its uuid is invalid'],
      [7, 'missing distinct id'],
      [8, 'session recording'],
      [9, 'it is neither an event nor a person'],
    ]);
    expect(readLines(`${file}.bad-lines`)[0].text).toBe('{"event": "cut');
    // The same text at two places is two events; the same file again is none.
    await cairn(['import', file, '--project', String(projectId), ...to()]);
    expect((await contents(to(), projectId)).events).toHaveLength(2);
  });

  it('that is killed goes on where it was, and stores nothing twice', async () => {
    const { projectId } = (await target?.createProject()) ?? { projectId: 0 };
    const file = scratch.path('long.ndjson');
    const total = 40_000;
    for (let n = 0; n < total; n += 5000) {
      const lines = Array.from({ length: 5000 }, (_, i) => aLine(n + i));
      appendFileSync(file, lines.join(''));
    }
    const args = ['import', file, '--project', String(projectId), ...to()];
    let kills = 0;
    for (; kills < 2; kills++) {
      const { child, ended } = startCommand(args);
      const had = existsSync(`${file}.cairn-import`) ? readFileSync(`${file}.cairn-import`, 'utf8') : '';
      const isFurther = (): boolean =>
        existsSync(`${file}.cairn-import`) && readFileSync(`${file}.cairn-import`, 'utf8') !== had;
      while (!isFurther()) await sleep(5);
      await sleep(100);
      child.kill('SIGKILL');
      await ended;
    }
    const { code, stdout, stderr } = await cairn([...args, '--json']);
    expect(stderr).toMatch(/resuming at line \d+001\./);
    expect([code, JSON.parse(stdout).events]).toEqual([3, total - total / 1000]);
    const [row] =
      (await target?.query('select count(*) as n, count(distinct uuid) as u from events where project_id = $1', [
        projectId,
      ])) ?? [];
    expect([Number(row?.['n']), Number(row?.['u'])]).toEqual([total - total / 1000, total - total / 1000]);
    // The file of bad lines is whole, too.
    expect(readLines(`${file}.bad-lines`).map(({ line }) => line)).toEqual(
      Array.from({ length: total / 1000 }, (_, i) => i * 1000 + 1),
    );
    expect(existsSync(`${file}.cairn-import`)).toBe(false);
  });
});

/** Every thousandth is broken; half of the others bring no uuid. */
function aLine(n: number): string {
  if (n % 1000 === 0) return `broken ${n}\n`;
  const uuid = n % 2 === 0 ? { uuid: `00000000-0000-4000-9000-${String(n).padStart(12, '0')}` } : {};
  const event = {
    ...uuid,
    event: 'e',
    distinct_id: `d${n % 500}`,
    timestamp: '2025-06-01T00:00:00Z',
    properties: { n },
  };
  return `${JSON.stringify(event)}\n`;
}
