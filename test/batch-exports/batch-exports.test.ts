/** Scheduled exports: every stored event is in exactly one file, under names that never change, and counts add up. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER } from '../../src/stores/metadata/accounts.ts';
import { cairn } from '../support/cairn.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const folder = mkdtempSync(join(tmpdir(), 'cairn-exports-'));
const all = '/api/projects/1/batch_exports/';
const T0 = Date.parse('2026-01-15T12:20:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now = T0;
const at = (ms: number): void => {
  now = ms;
  server.setNow(new Date(ms).toISOString());
};

beforeAll(async () => {
  server = await startServer({ now: new Date(T0).toISOString(), config: { exportDir: folder } });
  client = clientFor(server);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const { id } of (await client.get(`${all}?limit=1000`)).body.results) await client.delete(`${all}${id}/`);
  // Each test has hours of its own.
  at(Math.ceil((now + HOUR) / HOUR) * HOUR + 20 * MINUTE);
});

let names = 0;
async function make(rest: object = {}, config: object = {}) {
  const prefix = `test-${++names}`;
  const destination = { type: 'Folder', config: { prefix, ...config } };
  const { status, body } = await client.post(all, { body: { name: 'Files', destination, ...rest } });
  expect([status, body.detail]).toEqual([201, undefined]);
  return { ...body, prefix } as { id: string; prefix: string; [field: string]: unknown };
}
const send = (...events: object[]) => capture(server, server.projectKey, events as never);
const hour = (from: number, offset = 0): number => Math.floor(from / HOUR) * HOUR + offset * HOUR;
const runsOf = async (id: string) => (await client.get(`${all}${id}/runs/`)).body.results;
async function completed(id: string, count: number) {
  await expect
    .poll(async () => (await runsOf(id)).filter((run: { status: string }) => run.status === 'Completed').length)
    .toBe(count);
  return (await runsOf(id)).toReversed();
}
const pathOf = (name: string): string => join(folder, 'project-1', name);
const manifestOf = (run: { manifest: string }) => JSON.parse(readFileSync(pathOf(run.manifest), 'utf8'));
interface File {
  name: string;
  records: number;
  bytes: number;
  sha256: string;
}
function linesOf(manifest: { files: File[] }) {
  return manifest.files.flatMap(({ name }) => {
    const bytes = readFileSync(pathOf(name));
    const text = (name.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  });
}
async function parquetRows(name: string, columns = '*') {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.run(`select ${columns} from read_parquet('${pathOf(name)}')`);
  const rows = await result.getRowObjectsJson();
  instance.closeSync();
  return rows;
}

describe('an export', () => {
  it('has every field that clients know', async () => {
    const { id, prefix, created_by, ...rest } = await make({ filters: [{ key: 'plan', value: 'pro' }] });
    expect(rest).toEqual({
      name: 'Files',
      model: 'events',
      destination: {
        type: 'Folder',
        config: { prefix, file_format: 'JSONLines', compression: null, max_file_size_mb: 64 },
      },
      interval: 'hour',
      filters: {
        events: [],
        actions: [],
        properties: [{ key: 'plan', value: 'pro' }],
        filter_test_accounts: false,
      },
      paused: false,
      paused_reason: null,
      start_at: null,
      end_at: null,
      exported_until: new Date(hour(now)).toISOString().replace('.000', ''),
      latest_runs: [],
      created_at: new Date(now).toISOString().replace('.000', ''),
      last_updated_at: new Date(now).toISOString().replace('.000', ''),
    });
    expect((created_by as { id: number }).id).toBe(1);
    expect((await client.get(`${all}${id}/`)).body.name).toBe('Files');
    expect((await client.delete(`${all}${id}/`)).status).toBe(204);
    expect((await client.get(`${all}${id}/`)).status).toBe(404);
  });

  it('puts the events of an hour into files, and the manifest last', async () => {
    const { id, prefix } = await make({}, { compression: 'gzip' });
    const start = hour(now);
    await send(
      { event: 'paid', properties: { amount: 125, big: 1, $set: { plan: 'pro' } } },
      // Late by its own clock: it is of the hour in which it was received.
      { event: 'seen', timestamp: '2020-05-05T05:05:05Z' },
    );
    expect(await runsOf(id)).toEqual([]);
    at(start + HOUR);
    const [run] = await completed(id, 1);
    const time = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-');
    const interval = `${time(start)}Z_${time(start + HOUR)}Z`;
    expect([run.manifest, run.records_completed, run.attempts, run.latest_error]).toEqual([
      `${prefix}/manifest_${interval}.json`,
      2,
      1,
      null,
    ]);
    const manifest = manifestOf(run);
    expect(manifest).toMatchObject({
      version: 1,
      project: 1,
      batch_export: id,
      run: run.id,
      model: 'events',
      records: 2,
    });
    expect(manifest.files.map(({ name }: File) => name)).toEqual([`${prefix}/${interval}/part-000.jsonl.gz`]);
    const [file] = manifest.files;
    const bytes = readFileSync(pathOf(file.name));
    expect([file.bytes, file.sha256]).toEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')]);
    const lines = linesOf(manifest).toSorted((a, b) => (a.event < b.event ? -1 : 1));
    expect(lines.map(({ event, timestamp }) => [event, timestamp.slice(0, 4)])).toEqual([
      ['paid', '2026'],
      ['seen', '2020'],
    ]);
    expect([lines[0].properties.amount, lines[0].person_properties.plan, lines[0].distinct_id]).toEqual([
      125,
      'pro',
      'ada',
    ]);
    const detail = (await client.get(`${all}${id}/runs/${run.id}/`)).body;
    expect(detail.files).toEqual(manifest.files);
  });

  it('writes Parquet with types', async () => {
    const { id } = await make({}, { file_format: 'Parquet', compression: 'zstd' });
    const start = hour(now);
    const big = 'x'.repeat(100_000);
    await send(
      { event: 'paid', properties: { amount: 7, $set: { plan: 'pro' } } },
      { event: 'large', properties: { big } },
    );
    at(start + HOUR);
    const [run] = await completed(id, 1);
    const [{ name, records }] = manifestOf(run).files;
    expect([name.endsWith('/part-000.parquet'), records]).toEqual([true, 2]);
    const types = 'typeof(uuid) as u, typeof(timestamp) as t, typeof(properties) as p';
    expect((await parquetRows(name, types))[0]).toEqual({
      u: 'UUID',
      t: 'TIMESTAMP WITH TIME ZONE',
      p: 'VARCHAR',
    });
    const rows = await parquetRows(name);
    const paid = rows.find(({ event }) => event === 'paid');
    expect(JSON.parse(String(paid?.['properties'])).amount).toBe(7);
    expect(JSON.parse(String(paid?.['person_properties'])).plan).toBe('pro');
    const large = rows.find(({ event }) => event === 'large');
    expect(JSON.parse(String(large?.['properties'])).big).toBe(big);
  });

  it('splits large runs into files, in either format, without losing or repeating an event', async () => {
    const exports = [
      await make({}, { max_file_size_mb: 1 }),
      await make({}, { max_file_size_mb: 1, file_format: 'Parquet' }),
    ];
    const start = hour(now);
    const text = 'y'.repeat(3000);
    for (let i = 0; i < 3; i++)
      await send(...Array.from({ length: 500 }, (_, n) => ({ event: 'row', properties: { n: i * 500 + n, text } })));
    at(start + HOUR);
    for (const { id } of exports) {
      const [run] = await completed(id, 1);
      const manifest = manifestOf(run);
      expect(manifest.files.length).toBeGreaterThan(3);
      expect(manifest.records).toBe(1500);
      const found: { properties: string | { n: number } }[] = manifest.files[0].name.endsWith('parquet')
        ? (await Promise.all(manifest.files.map(({ name }: File) => parquetRows(name)))).flat()
        : linesOf(manifest);
      const numbers = found.map(
        ({ properties }) => (typeof properties === 'string' ? JSON.parse(properties) : properties).n,
      );
      expect(new Set(numbers).size).toBe(1500);
      expect(numbers.length).toBe(1500);
    }
  });

  it('filters events', async () => {
    const { id } = await make({ filters: { events: [{ id: 'paid' }], properties: [{ key: 'amount', value: 5 }] } });
    const start = hour(now);
    await send(
      { event: 'paid', properties: { amount: 5 } },
      { event: 'paid' },
      { event: 'seen', properties: { amount: 5 } },
    );
    at(start + HOUR);
    const [run] = await completed(id, 1);
    expect(linesOf(manifestOf(run)).map(({ event }) => event)).toEqual(['paid']);
  });

  it('makes a run for every hour that went by, also an empty one', async () => {
    const { id } = await make();
    const start = hour(now);
    await send({ event: 'first' });
    at(start + 2 * HOUR + 5 * MINUTE);
    await send({ event: 'third' });
    at(start + 3 * HOUR);
    const runs = await completed(id, 3);
    expect(runs.map(({ records_completed }: { records_completed: number }) => records_completed)).toEqual([1, 0, 1]);
    expect(manifestOf(runs[1]).files).toEqual([]);
  });
});

describe('late events', () => {
  it('are in a later file, and never in two, also when a run is repeated or backfilled', async () => {
    const { id } = await make();
    const start = hour(now);
    await send({ event: 'in time' });
    at(start + HOUR);
    await completed(id, 1);
    // An import keeps when its events were received: an hour that has been exported.
    const created_at = new Date(start + MINUTE).toISOString();
    await importLines([{ event: 'late', distinct_id: 'ada', timestamp: created_at, created_at }]);
    at(start + 2 * HOUR);
    const runs = await completed(id, 2);
    const events = (run: { manifest: string }) => linesOf(manifestOf(run)).map(({ event }) => event);
    expect([events(runs[0]), events(runs[1])]).toEqual([['in time'], ['late']]);
    for (const run of runs) expect((await client.post(`${all}${id}/runs/${run.id}/retry/`)).status).toBe(200);
    const again = await completed(id, 2);
    expect(again.map(({ id: run }: { id: string }) => run)).toEqual(runs.map(({ id: run }: { id: string }) => run));
    expect([events(again[0]), events(again[1])]).toEqual([['in time'], ['late']]);
    const backfill = await client.post(`${all}${id}/backfills/`, { body: { start_at: new Date(start).toISOString() } });
    expect(backfill.status).toBe(201);
    await expect
      .poll(async () => (await client.get(`${all}${id}/backfills/`)).body.results[0].status)
      .toBe('Completed');
    const third = await completed(id, 2);
    expect([events(third[0]), events(third[1])]).toEqual([['in time'], ['late']]);
  });

  it('add up: the sum of the manifests is what is stored', async () => {
    const before = (await server.counters()).stored;
    const { id } = await make({}, { file_format: 'Parquet' });
    const start = hour(now);
    for (let i = 0; i < 4; i++) {
      await send(...Array.from({ length: 20 + i }, () => ({ event: 'counted' })));
      at(start + (i + 1) * HOUR);
      if (i % 2 === 1) {
        const created_at = new Date(start + 5 * MINUTE).toISOString();
        await importLines(
          [1, 2, 3].map((n) => ({ event: `late ${n} of ${i}`, distinct_id: 'bob', timestamp: created_at, created_at })),
        );
      }
      await server.drain();
    }
    at(start + 5 * HOUR);
    const runs = await completed(id, 5);
    const exported = runs.map(manifestOf).reduce((sum: number, { records }: File) => sum + records, 0);
    expect(exported).toBe((await server.counters()).stored - before);
    expect(exported).toBe(20 + 21 + 22 + 23 + 6);
  });
});

async function importLines(lines: readonly object[]): Promise<void> {
  const file = join(server.dataDir, `import-${++names}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const done = await cairn(['import', file, '--restart', '--project', '1', '--data-dir', server.dataDir]);
  expect(done).toMatchObject({ code: 0 });
  await server.drain();
}

describe('repeating', () => {
  it('gives the same names, and removes files that are left over', async () => {
    const { id, prefix } = await make({}, { max_file_size_mb: 1 });
    const start = hour(now);
    const text = 'z'.repeat(2000);
    await send(...Array.from({ length: 1200 }, (_, n) => ({ event: 'row', properties: { n, text } })));
    at(start + HOUR);
    const [run] = await completed(id, 1);
    const first = manifestOf(run);
    expect(first.files.length).toBeGreaterThan(2);
    await client.patch(`${all}${id}/`, { body: { destination: { config: { max_file_size_mb: 100 } } } });
    expect((await client.post(`${all}${id}/runs/${run.id}/retry/`)).body.status).toBe('Starting');
    const [again] = await completed(id, 1);
    const second = manifestOf(again);
    expect([again.id, again.manifest, second.records]).toEqual([run.id, run.manifest, 1200]);
    expect(second.files.map(({ name }: File) => name)).toEqual([first.files[0].name]);
    const kept = readdirSync(join(folder, 'project-1', prefix), { recursive: true }).map(String);
    expect(kept.filter((name) => name.includes('part-')).length).toBe(1);
  });

  it('backfills the time before an export was made, and refuses what is exported anyway', async () => {
    const start = hour(now);
    await send({ event: 'old' });
    at(start + 3 * HOUR);
    await send({ event: 'new' });
    const { id } = await make();
    const backfill = (body: object) => client.post(`${all}${id}/backfills/`, { body });
    expect((await backfill({ start_at: new Date(now).toISOString() })).body.attr).toBe('start_at');
    expect((await backfill({})).body).toMatchObject({ attr: 'start_at', code: 'required' });
    expect((await backfill({ start_at: 'yesterday' })).body.attr).toBe('start_at');
    expect((await backfill({ start_at: '1970-01-01T00:00:00Z' })).body.detail).toContain('at most 10000');
    const wanted = { start_at: new Date(start).toISOString(), end_at: new Date(start + 2 * HOUR).toISOString() };
    expect((await backfill(wanted)).status).toBe(201);
    const runs = await completed(id, 2);
    expect(linesOf(manifestOf(runs[0])).map(({ event }) => event)).toEqual(['old']);
    expect(linesOf(manifestOf(runs[1]))).toEqual([]);
  });
});

describe('pausing', () => {
  it('goes on where it stopped', async () => {
    const { id } = await make();
    const start = hour(now);
    await send({ event: 'while paused' });
    expect((await client.post(`${all}${id}/pause/`)).body.paused).toBe(true);
    at(start + 2 * HOUR);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await runsOf(id)).toEqual([]);
    expect((await client.post(`${all}${id}/unpause/`)).body.paused).toBe(false);
    const runs = await completed(id, 2);
    expect(linesOf(manifestOf(runs[0])).map(({ event }) => event)).toEqual(['while paused']);
  });

  it('follows a failure that cannot pass by itself; resuming repeats it', async () => {
    const { id, prefix } = await make();
    const start = hour(now);
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere, { recursive: true });
    mkdirSync(join(folder, 'project-1'), { recursive: true });
    symlinkSync(elsewhere, join(folder, 'project-1', prefix));
    await send({ event: 'kept' });
    at(start + HOUR);
    await expect.poll(async () => (await client.get(`${all}${id}/`)).body.paused).toBe(true);
    const { paused_reason, latest_runs } = (await client.get(`${all}${id}/`)).body;
    expect([paused_reason, latest_runs[0].status]).toEqual([
      'part of its path is a link or a file, and those are not followed',
      'Failed',
    ]);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(join(folder, 'project-1', prefix));
    await client.post(`${all}${id}/unpause/`);
    const [run] = await completed(id, 1);
    expect(linesOf(manifestOf(run)).map(({ event }) => event)).toEqual(['kept']);
  });

  it('follows a day of failures; until then it is tried again', async () => {
    const { id, prefix } = await make();
    const start = hour(now);
    mkdirSync(join(folder, 'project-1'), { recursive: true });
    at(start + HOUR);
    const [run] = await completed(id, 1);
    const blocked = join(folder, 'project-1', prefix);
    rmSync(blocked, { recursive: true });
    // A name that is too long for the file system fails each time, but may be repaired.
    await client.patch(`${all}${id}/`, { body: { destination: { config: { prefix: 'n'.repeat(300) } } } });
    await client.post(`${all}${id}/runs/${run.id}/retry/`);
    await expect.poll(async () => (await runsOf(id))[0].status).toBe('FailedRetryable');
    expect((await runsOf(id))[0].latest_error).toBe('the file could not be written: ENAMETOOLONG');
    at(now + 25 * HOUR);
    await expect.poll(async () => (await client.get(`${all}${id}/`)).body.paused).toBe(true);
    writeFileSync(join(folder, 'project-1', 'x'), '');
  });
});

describe('persons and sessions', () => {
  it('exports all persons first, then those that changed, and who is gone', async () => {
    const person = { event: 'seen', distinct_id: 'eve', properties: { $set: { plan: 'free' } } };
    await send(person);
    const { id } = await make({ model: 'persons' });
    const start = hour(now);
    at(start + HOUR);
    const [first] = await completed(id, 1);
    const rows = linesOf(manifestOf(first));
    const eve = rows.find(({ distinct_ids }) => distinct_ids.includes('eve'));
    expect(eve).toMatchObject({ distinct_ids: ['eve'], is_deleted: false, properties: { plan: 'free' } });
    expect(rows.length).toBeGreaterThan(1);
    await client.patch(`/api/projects/1/persons/${eve.person_id}/`, { body: { properties: { plan: 'pro' } } });
    at(start + 2 * HOUR);
    const [, second] = await completed(id, 2);
    expect(linesOf(manifestOf(second))).toEqual([
      expect.objectContaining({ person_id: eve.person_id, properties: expect.objectContaining({ plan: 'pro' }) }),
    ]);
    await client.delete(`/api/projects/1/persons/${eve.person_id}/`);
    at(start + 3 * HOUR);
    const [, , third] = await completed(id, 3);
    expect(linesOf(manifestOf(third))).toEqual([
      expect.objectContaining({ person_id: eve.person_id, is_deleted: true, properties: {}, distinct_ids: [] }),
    ]);
    const backfill = await client.post(`${all}${id}/backfills/`, { body: { start_at: '2026-01-01T00:00:00Z' } });
    expect([backfill.status, backfill.body.code]).toEqual([400, 'unsupported']);
  });

  it('exports persons as Parquet', async () => {
    await send({ event: 'seen', distinct_id: 'fay', properties: { $set: { plan: 'free' } } });
    const { id } = await make({ model: 'persons' }, { file_format: 'Parquet' });
    at(hour(now, 1));
    const [run] = await completed(id, 1);
    const rows = await parquetRows(manifestOf(run).files[0].name);
    const fay = rows.find(({ distinct_ids }) => distinct_ids === '["fay"]');
    expect([fay?.['is_identified'], fay?.['is_deleted'], JSON.parse(String(fay?.['properties'])).plan]).toEqual([
      expect.any(Boolean),
      false,
      'free',
    ]);
    await client.delete(`/api/projects/1/persons/${fay?.['person_id']}/`);
    at(hour(now, 1));
    const [, second] = await completed(id, 2);
    expect(await parquetRows(manifestOf(second).files[0].name)).toEqual([
      {
        person_id: fay?.['person_id'],
        distinct_ids: '[]',
        created_at: null,
        is_identified: false,
        is_deleted: true,
        properties: '{}',
      },
    ]);
  });

  it('exports sessions, again with new numbers when they go on', async () => {
    const exports = [await make({ model: 'sessions' }), await make({ model: 'sessions' }, { file_format: 'Parquet' })];
    const start = hour(now);
    const view = (path: string, rest: object = {}) => ({
      event: '$pageview',
      distinct_id: 'gil',
      timestamp: new Date(now).toISOString(),
      properties: { $session_id: 's-1', $current_url: `https://example.org${path}`, ...rest },
    });
    await send(view('/', { utm_source: 'news' }));
    at(start + 50 * MINUTE);
    await send(view('/pricing'));
    at(start + HOUR);
    const [first] = await completed(exports[0]?.id ?? '', 1);
    expect(linesOf(manifestOf(first))).toEqual([
      expect.objectContaining({
        session_id: 's-1',
        distinct_id: 'gil',
        event_count: 2,
        pageview_count: 2,
        session_duration: 1800,
        entry_current_url: 'https://example.org/',
        end_current_url: 'https://example.org/pricing',
        entry_utm_source: 'news',
        start_timestamp: new Date(start + 20 * MINUTE).toISOString(),
      }),
    ]);
    const [parquet] = await completed(exports[1]?.id ?? '', 1);
    expect(await parquetRows(manifestOf(parquet).files[0].name, 'session_id, event_count')).toEqual([
      { session_id: 's-1', event_count: '2' },
    ]);
    at(start + HOUR + MINUTE);
    await send(view('/end'));
    at(start + 2 * HOUR);
    const [, second] = await completed(exports[0]?.id ?? '', 2);
    expect(linesOf(manifestOf(second))).toEqual([expect.objectContaining({ session_id: 's-1', event_count: 3 })]);
  });
});

it('names in the proof of a deletion the runs that have the person', async () => {
  const { id } = await make();
  const start = hour(now);
  await send({ event: 'seen', distinct_id: 'hal' }, { event: 'seen', distinct_id: 'ivy' });
  at(start + HOUR);
  await send({ event: 'seen', distinct_id: 'ivy' });
  at(start + 2 * HOUR);
  const created_at = new Date(start + MINUTE).toISOString();
  await completed(id, 2);
  await importLines([{ event: 'late', distinct_id: 'hal', timestamp: created_at, created_at }]);
  at(start + 3 * HOUR);
  const runs = await completed(id, 3);
  const remove = async (distinctId: string) => {
    const found = (await client.get(`/api/projects/1/persons/?distinct_id=${distinctId}`)).body.results[0];
    await client.delete(`/api/projects/1/persons/${found.id}/?delete_events=true`);
    const { results } = (await client.get('/api/projects/1/persons/deletions/')).body;
    const { exported_in } = results.find((one: { person_uuid: string }) => one.person_uuid === found.uuid);
    return exported_in.map(({ run, manifest }: { run: string; manifest: string }) => [run, manifest]);
  };
  const namesOf = (...some: number[]) => some.map((i) => [runs[i].id, runs[i].manifest]);
  expect(await remove('hal')).toEqual(namesOf(0, 2));
  expect(await remove('ivy')).toEqual(namesOf(0, 1));
});

describe('bad input', () => {
  const folderOf = (config: object) => ({ destination: { type: 'Folder', config } });
  const s3 = { bucket_name: 'my-events', aws_access_key_id: 'a', aws_secret_access_key: 'b' };
  const s3Of = (config: object) => ({ destination: { type: 'S3', config: { ...s3, ...config } } });
  it.each([
    ['destination', {}],
    ['destination', { destination: 'S3' }],
    ['destination', { destination: { type: 'BigQuery', config: {} } }],
    ['destination', folderOf({ prefix: '../up' })],
    ['destination', folderOf({ prefix: 'a//b' })],
    ['destination', folderOf({ prefix: 'a/{uuid}' })],
    ['destination', folderOf({ prefix: 'a/{year' })],
    ['destination', folderOf({ prefix: 'a\u0000b' })],
    ['destination', folderOf({ prefix: 7 })],
    ['destination', folderOf({ bucket_name: 'x' })],
    // Where Node has no zstd.
    ...('createZstdCompress' in zlib ? [] : [['destination', folderOf({ compression: 'zstd' })] as [string, object]]),
    ['destination', folderOf({ compression: 'brotli' })],
    ['destination', folderOf({ file_format: 'CSV' })],
    ['destination', folderOf({ max_file_size_mb: 0 })],
    ['destination', folderOf({ max_file_size_mb: 1.5 })],
    ['destination', s3Of({ bucket_name: '../x' })],
    ['destination', s3Of({ region: 'eu central' })],
    ['destination', s3Of({ endpoint_url: 'http://127.0.0.1:9000' })],
    ['destination', s3Of({ endpoint_url: 'http://[::1]:9000' })],
    ['destination', s3Of({ endpoint_url: 'http://169.254.169.254' })],
    ['destination', s3Of({ endpoint_url: 'ftp://s3.example.org' })],
    ['destination', s3Of({ endpoint_url: 'https://user:secret@s3.example.org' })],
    ['destination', s3Of({ endpoint_url: 'https://s3.example.org/path' })],
    ['destination', s3Of({ aws_secret_access_key: '******' })],
    ['destination', s3Of({ aws_secret_access_key: 'a\nb' })],
    ['destination', s3Of({ aws_secret_access_key: null })],
    ['destination', s3Of({ kms_key_id: 'k' })],
    ['interval', { ...folderOf({}), interval: 'minute' }],
    ['model', { ...folderOf({}), model: 'groups' }],
    ['filters', { ...folderOf({}), filters: 'all' }],
    ['filters', { ...folderOf({}), model: 'persons', filters: [{ key: 'a', value: 'b' }] }],
    ['start_at', { ...folderOf({}), start_at: 'soon' }],
    ['end_at', { ...folderOf({}), start_at: '2026-02-01T00:00:00Z', end_at: '2026-01-01T00:00:00Z' }],
    ['name', { ...folderOf({}), name: '' }],
  ])('names the field %s of %j', async (attr, body) => {
    const answer = await client.post(all, { body });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });

  it('keeps two exports from the same names', async () => {
    const { prefix } = await make();
    const destination = { type: 'Folder', config: { prefix } };
    expect((await client.post(all, { body: { destination } })).body.detail).toContain('same prefix');
    const other = { type: 'Folder', config: { prefix: `${prefix}/{model}` } };
    expect((await client.post(all, { body: { destination: other } })).status).toBe(201);
  });

  it('lets only admins change exports, and nobody see those of other projects', async () => {
    const member = await addMember(server, 'member@example.org', MEMBER);
    const { id } = await make();
    const foreign = await server.createProject({ foreign: true });
    expect((await client.get(`${all}${id}/`, { key: member.personalKey })).status).toBe(200);
    expect((await client.post(`${all}${id}/pause/`, { key: member.personalKey })).status).toBe(403);
    const elsewhere = `/api/projects/${foreign.projectId}/batch_exports/${id}/`;
    for (const path of [elsewhere, `${elsewhere}runs/`, `${elsewhere}backfills/`])
      expect((await client.get(path, { key: foreign.personalKey })).status).toBe(404);
  });
});
