/** Scheduled exports from ClickHouse: the rows in the files are those that were sent, in either format. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { capture } from '../../support/capture.ts';
import { TIMEOUTS } from '../../support/clickhouse.ts';
import { clientFor } from '../../support/client.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { startServer, type TestServer } from '../../support/server.ts';

vi.setConfig(TIMEOUTS);

const START = Date.parse('2026-01-15T12:20:00Z');
const HOUR = 3_600_000;
const MODELS = ['events', 'persons', 'sessions'] as const;
const FORMATS = ['JSONLines', 'Parquet'] as const;
type Model = (typeof MODELS)[number];
type Format = (typeof FORMATS)[number];
// biome-ignore lint/suspicious/noExplicitAny: rows of any model, asserted below
type Row = Record<string, any>;

interface Run {
  status: string;
  manifest: string;
  records_completed: number;
  latest_error: string | null;
}
interface Manifest {
  records: number;
  files: { name: string; records: number }[];
}

const view = (id: string, path: string, minutes: number, rest: object = {}) => ({
  event: '$pageview',
  distinct_id: id,
  timestamp: new Date(START + minutes * 60_000).toISOString(),
  properties: { $session_id: `session of ${id}`, $current_url: `https://example.org${path}`, ...rest },
});
/** Of three persons; one event has a text that is kept apart. */
const SENT = [
  view('ada', '/', 0, { utm_source: 'news', $set: { plan: 'pro' } }),
  view('ada', '/pricing', 10),
  view('bob', '/docs', 2, { $set: { plan: 'free', quote: `it's "odd" \\ 日本` } }),
  { event: 'paid', distinct_id: 'bob', properties: { amount: 12.5, 'odd\n"key"': [1, { a: null }] } },
  { event: 'large', distinct_id: 'cy', properties: { text: 'x'.repeat(100_000) } },
];

await describeWithClickHouse('exports from ClickHouse', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-exports-'));
  const all = '/api/projects/1/batch_exports/';
  let server: TestServer;
  let client: ReturnType<typeof clientFor>;
  let now = START;
  const ids = new Map<string, string>();
  const runs = new Map<string, Run>();

  const at = (ms: number): void => {
    now = ms;
    server.setNow(new Date(ms).toISOString());
  };
  const pathOf = (name: string): string => join(folder, 'project-1', name);

  /** Nodes may differ in their clocks, so a run waits a little: the clock has to go on. */
  const completed = (id: string, count = 1): Promise<Run> =>
    vi.waitFor(
      async () => {
        at(now + 5000);
        const run: Run | undefined = (await client.get(`${all}${id}/runs/`)).body.results.toReversed()[count - 1];
        expect([run?.status, run?.latest_error]).toEqual(['Completed', null]);
        return run as Run;
      },
      { timeout: 300_000, interval: 2000 },
    );

  async function readRows(format: Format, { files }: Manifest): Promise<Row[]> {
    const names = files.map(({ name }) => pathOf(name));
    if (format === 'JSONLines')
      return names.flatMap((name) => readFileSync(name, 'utf8').trim().split('\n')).map((line) => JSON.parse(line));
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const list = names.map((name) => `'${name}'`).join(', ');
    const rows = await (await connection.run(`select * from read_parquet([${list}])`)).getRowObjectsJson();
    instance.closeSync();
    return rows;
  }
  async function exported(
    model: Model,
    format: Format,
    run: Run | undefined = runs.get(`${model} ${format}`),
  ): Promise<Row[]> {
    const manifest: Manifest = JSON.parse(readFileSync(pathOf(run?.manifest ?? ''), 'utf8'));
    const rows = await readRows(format, manifest);
    const counts = [run?.records_completed, manifest.records, ...manifest.files.map(({ records }) => records)];
    expect(counts).toEqual([rows.length, rows.length, rows.length]);
    return rows;
  }
  /** Objects are texts in Parquet. */
  const objectOf = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);
  const ms = (value: unknown): number => Date.parse(String(value).replace(' ', 'T').replace('+00', 'Z'));

  beforeAll(async () => {
    server = await startServer({
      stores: 'large',
      now: new Date(START).toISOString(),
      config: { exportDir: folder },
    });
    client = clientFor(server);
    for (const model of MODELS)
      for (const file_format of FORMATS) {
        const prefix = `${model}-${file_format}`;
        const destination = { type: 'Folder', config: { prefix, file_format } };
        const { status, body } = await client.post(all, { body: { name: prefix, model, destination } });
        expect([status, body.detail]).toEqual([201, undefined]);
        ids.set(`${model} ${file_format}`, body.id);
      }
    await capture(server, server.projectKey, SENT);
    at(Math.floor(START / HOUR) * HOUR + HOUR);
    for (const [name, id] of ids) runs.set(name, await completed(id));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(FORMATS)('has every event once, with its properties and those of its person, as %s', async (format) => {
    const rows = await exported('events', format);
    const key = (row: Row) => `${row['event']} ${row['distinct_id']} ${objectOf(row['properties']).$current_url ?? ''}`;
    const sorted = rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted.map(key)).toEqual(SENT.map((one) => key(one)).toSorted());
    for (const { distinct_id, event, properties } of SENT) {
      const row = sorted.find((one) => key(one) === key({ distinct_id, event, properties }));
      const { $set: _set, ...own } = properties as Row;
      expect(objectOf(row?.['properties'])).toMatchObject(own);
      expect(objectOf(row?.['person_properties']).plan).toBe({ ada: 'pro', bob: 'free' }[distinct_id]);
      expect(row?.['person_id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    const pricing = sorted.find((row) => objectOf(row['properties']).$current_url === 'https://example.org/pricing');
    expect([ms(pricing?.['timestamp']), ms(pricing?.['created_at'])]).toEqual([START + 10 * 60_000, START]);
  });

  it.each(FORMATS)('has every person, as %s', async (format) => {
    const rows = await exported('persons', format);
    const shown = rows.map((row) => ({
      ids: objectOf(row['distinct_ids']),
      properties: objectOf(row['properties']),
      isDeleted: row['is_deleted'],
      createdAt: ms(row['created_at']),
    }));
    expect(shown.toSorted((a, b) => (a.ids[0] < b.ids[0] ? -1 : 1))).toEqual([
      { ids: ['ada'], properties: expect.objectContaining({ plan: 'pro' }), isDeleted: false, createdAt: START },
      {
        ids: ['bob'],
        properties: expect.objectContaining({ plan: 'free', quote: `it's "odd" \\ 日本` }),
        isDeleted: false,
        createdAt: START + 2 * 60_000,
      },
      { ids: ['cy'], properties: expect.any(Object), isDeleted: false, createdAt: START },
    ]);
  });

  it.each(FORMATS)('has every session with its numbers, as %s', async (format) => {
    const rows = await exported('sessions', format);
    const shown = rows.map((row) => [
      row['session_id'],
      row['distinct_id'],
      Number(row['event_count']),
      Number(row['pageview_count']),
      Number(row['session_duration']),
      row['entry_current_url'],
      row['end_current_url'],
      row['entry_utm_source'],
      ms(row['start_timestamp']),
    ]);
    expect(shown).toEqual([
      ['session of ada', 'ada', 2, 2, 600, 'https://example.org/', 'https://example.org/pricing', 'news', START],
      ['session of bob', 'bob', 1, 1, 0, 'https://example.org/docs', 'https://example.org/docs', '', START + 120_000],
    ]);
  });

  it('has types in Parquet, the same as files from DuckDB', async () => {
    const types = async (model: Model, run = runs.get(`${model} Parquet`)) => {
      const manifest: Manifest = JSON.parse(readFileSync(pathOf(run?.manifest ?? ''), 'utf8'));
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      const described = await connection.run(`describe from read_parquet('${pathOf(manifest.files[0]?.name ?? '')}')`);
      const rows = await described.getRowObjectsJson();
      instance.closeSync();
      return Object.fromEntries(rows.map((row) => [row['column_name'], row['column_type']]));
    };
    expect(await types('events')).toMatchObject({
      uuid: 'UUID',
      person_id: 'UUID',
      timestamp: 'TIMESTAMP WITH TIME ZONE',
      created_at: 'TIMESTAMP WITH TIME ZONE',
      properties: 'VARCHAR',
    });
    expect(await types('persons')).toEqual({
      person_id: 'UUID',
      distinct_ids: 'VARCHAR',
      created_at: 'TIMESTAMP WITH TIME ZONE',
      is_identified: 'BOOLEAN',
      is_deleted: 'BOOLEAN',
      properties: 'VARCHAR',
    });
    expect(await types('sessions')).toMatchObject({
      session_id: 'VARCHAR',
      person_id: 'UUID',
      start_timestamp: 'TIMESTAMP WITH TIME ZONE',
    });
  });

  it('has a person that was deleted, in the next run', async () => {
    const rows = await exported('persons', 'JSONLines');
    const { person_id } = rows.find((row) => row['distinct_ids'].includes('cy')) ?? {};
    expect((await client.delete(`/api/projects/1/persons/${person_id}/`)).status).toBe(204);
    at(Math.floor(START / HOUR) * HOUR + 2 * HOUR);
    for (const format of FORMATS) {
      const run = await completed(ids.get(`persons ${format}`) ?? '', 2);
      const [row, ...others] = await exported('persons', format, run);
      expect([others, row?.['person_id'], row?.['is_deleted'], row?.['created_at']]).toEqual([
        [],
        person_id,
        true,
        null,
      ]);
    }
  });
});
