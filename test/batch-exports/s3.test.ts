/** Exports to an S3-compatible store: signed, in pieces where they are large, and with secrets that stay secret. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { S3_KEYS, type S3Store, startS3Store } from '../support/s3-store.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MINUTES = 5 * 60_000;
const all = '/api/projects/1/batch_exports/';
/** The store compares the time of a request with its own. */
const T0 = Math.floor(Date.now() / MINUTES) * MINUTES - 2 * MINUTES;

let server: TestServer;
let store: S3Store;
let client: ReturnType<typeof clientFor>;
let now = T0;
let logged = '';

const at = (ms: number): void => {
  now = ms;
  server.setNow(new Date(ms).toISOString());
};

beforeAll(async () => {
  store = await startS3Store();
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk, _, done) {
        logged += chunk;
        done();
      },
    }),
  );
  server = await startServer({ now: new Date(T0).toISOString(), config: { exportAllowPrivate: true }, log });
  client = clientFor(server);
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const make = async (config: object = {}, rest: object = {}) => {
  const s3 = { bucket_name: store.bucket, endpoint_url: store.url, ...S3_KEYS, ...config };
  const body = { name: 'Lake', interval: 'every 5 minutes', destination: { type: 'S3', config: s3 }, ...rest };
  const answer = await client.post(all, { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const firstRun = async (id: string) => (await client.get(`${all}${id}/runs/`)).body.results.at(-1);

it('puts files and then the manifest into a bucket, in pieces where they are large', async () => {
  const lines = await make({ prefix: 'cairn/{model}/{year}-{month}-{day}', compression: 'gzip' });
  const parquet = await make({ prefix: 'odd names/ü (1)+&', file_format: 'Parquet', max_file_size_mb: 64 });
  // Random text, which does not shrink: a Parquet file of more than one piece.
  const random = () =>
    createHash('sha512')
      .update(String(Math.sin(count++)))
      .digest('hex');
  let count = 0;
  for (let i = 0; i < 9; i++)
    await capture(
      server,
      server.projectKey,
      Array.from({ length: 20 }, (_, n) => ({
        event: 'row',
        uuid: undefined as never,
        properties: { n: i * 20 + n, text: Array.from({ length: 800 }, random).join('') },
      })),
    );
  at(T0 + MINUTES);
  for (const { id } of [lines, parquet]) await expect.poll(async () => (await firstRun(id))?.status).toBe('Completed');
  for (const { id } of [lines, parquet]) {
    const run = await firstRun(id);
    const manifest = JSON.parse(
      (await store.read(encodeURI(run.manifest).replaceAll('+', '%2B').replaceAll('&', '%26'))).toString(),
    );
    expect([manifest.records, run.records_completed]).toEqual([180, 180]);
    let records = 0;
    for (const { name, bytes, sha256 } of manifest.files) {
      const data = await store.read(encodeURI(name).replaceAll('+', '%2B').replaceAll('&', '%26'));
      expect([data.length, createHash('sha256').update(data).digest('hex')]).toEqual([bytes, sha256]);
      if (name.endsWith('.gz')) records += gunzipSync(data).toString().trimEnd().split('\n').length;
    }
    if (id === lines.id) expect(records).toBe(180);
    else expect(manifest.files[0].bytes).toBeGreaterThan(9 * 1024 * 1024);
  }
});

it('keeps credentials encrypted, shows them never, and lets them be kept by a change', async () => {
  const made = await make({ prefix: 'secrets', aws_access_key_id: 'S3RVER-do-not-show' });
  const { config } = made.destination;
  expect([config.aws_access_key_id, config.aws_secret_access_key]).toEqual(['******', '******']);
  const [row] = await server.rows('select destination from batch_exports where id = ?', made.id);
  expect(String(row?.['destination'])).not.toContain('S3RVER');
  // A wrong key: the store refuses it, and the export is paused with a reason that has no secret in it.
  at(now + MINUTES);
  await expect
    .poll(async () => (await firstRun(made.id))?.latest_error)
    .toBe('the store answered 403 InvalidAccessKeyId');
  await expect.poll(async () => (await client.get(`${all}${made.id}/`)).body.paused).toBe(true);
  const { paused_reason, latest_runs } = (await client.get(`${all}${made.id}/`)).body;
  expect([paused_reason, latest_runs[0].status]).toEqual(['the store answered 403 InvalidAccessKeyId', 'Failed']);
  const changed = await client.patch(`${all}${made.id}/`, {
    body: { destination: { config: { ...config, ...S3_KEYS } } },
  });
  expect(changed.status).toBe(200);
  await client.patch(`${all}${made.id}/`, { body: { name: 'Renamed', destination: { type: 'S3', config } } });
  await client.post(`${all}${made.id}/unpause/`);
  await expect.poll(async () => (await firstRun(made.id)).status).toBe('Completed');
  const activity = await client.get('/api/projects/1/activity_log/?scope=BatchExport');
  expect(JSON.stringify(activity.body)).not.toContain('do-not-show');
  const moved = { ...config, endpoint_url: 'https://s3.example.org' };
  const refused = await client.patch(`${all}${made.id}/`, { body: { destination: { type: 'S3', config: moved } } });
  expect([refused.status, refused.body.attr]).toEqual([400, 'destination']);
  expect(logged).toContain('an export failed');
  expect(logged).not.toContain('do-not-show');
});

it('tries again where a store is down, and pauses where it sends elsewhere', async () => {
  let status = 503;
  const asked: string[] = [];
  const fake = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' });
      response.end('<Error><Code>SlowDown</Code></Error>');
    });
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
  try {
    const { id } = await make({ prefix: 'down', endpoint_url: url });
    await capture(server, server.projectKey, [{ event: 'kept' }]);
    at(now + MINUTES);
    await expect.poll(async () => (await firstRun(id))?.status).toBe('FailedRetryable');
    const run = await firstRun(id);
    expect([run.latest_error, run.retry_at]).toEqual(['the store answered 503 SlowDown', expect.any(String)]);
    status = 301;
    at(now + 60_000);
    await expect.poll(async () => (await client.get(`${all}${id}/`)).body.paused).toBe(true);
    expect(asked.every((one) => one.startsWith('PUT /events/down/'))).toBe(true);
  } finally {
    fake.close();
  }
});

it('reaches no private address unless the operator allows it', async () => {
  const other = await startServer({ now: new Date(T0).toISOString() });
  try {
    const config = { bucket_name: 'my-events', endpoint_url: 'http://localhost:9000', ...S3_KEYS };
    const answer = await clientFor(other).post(all, { body: { destination: { type: 'S3', config } } });
    expect([answer.status, answer.body.attr, answer.body.detail]).toEqual([
      400,
      'destination',
      expect.stringContaining('EXPORT_ALLOW_PRIVATE=true'),
    ]);
  } finally {
    await other.close();
  }
});
