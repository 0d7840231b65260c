/** Why somebody has a value, now and in the past; and what is wrong with a server, and what to do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
let server: TestServer;
let at: string[];
beforeAll(async () => {
  server = await startServer({ now: '2026-01-01T00:00:00.000Z' });
  at = ['--data-dir', server.dataDir];
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

describe('flags eval', () => {
  const onPlan = (plan: string) => ({
    groups: [
      { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: plan }], rollout_percentage: 100 },
    ],
  });

  beforeAll(async () => {
    const client = clientFor(server);
    const set = async (now: string, plan: string): Promise<void> => {
      server.setNow(now);
      const body = { api_key: server.projectKey, event: '$set', distinct_id: 'ada', properties: { $set: { plan } } };
      await client.post('/capture/', { key: null, body });
      await server.drain();
    };
    const flags = '/api/projects/1/feature_flags/';
    await set('2026-01-02T00:00:00Z', 'free');
    server.setNow('2026-01-03T00:00:00Z');
    const made = await client.post(flags, { body: { key: 'beta', filters: onPlan('free'), active: true } });
    await set('2026-01-04T00:00:00Z', 'pro');
    server.setNow('2026-01-05T00:00:00Z');
    await client.patch(`${flags}${made.body.id}/`, { body: { filters: onPlan('pro') } });
    server.setNow('2026-01-06T00:00:00Z');
    await client.patch(`${flags}${made.body.id}/`, { body: { active: false } });
    server.setNow('2026-01-07T00:00:00Z');
    await client.patch(`${flags}${made.body.id}/`, { body: { deleted: true } });
  });

  const asked = (...more: string[]) => cairnJson(['flags', 'eval', 'beta', '--user', 'ada', ...more, ...at]);

  it.each([
    ['2026-01-03T12:00:00Z', true, 'condition_match', 1, 'free'],
    ['2026-01-04T12:00:00Z', false, 'no_condition_match', 1, 'pro'],
    ['2026-01-05T12:00:00Z', true, 'condition_match', 2, 'pro'],
    ['2026-01-06T12:00:00Z', false, 'disabled', 3, 'pro'],
  ])(
    'tells what a flag was at %s: %s, because of its version and the person of then',
    async (time, value, reason, version, plan) => {
      const answer = await asked('--at', time);
      expect(answer).toMatchObject({ flag: 'beta', user: 'ada', value, reason, version, assumed: [] });
      expect(answer.person_properties.plan).toBe(plan);
    },
  );

  it('knows nobody before their first event, and no flag before it was made or after it was deleted', async () => {
    const stranger = await cairnJson([
      'flags',
      'eval',
      'beta',
      '--user',
      'nobody',
      '--at',
      '2026-01-05T12:00:00Z',
      ...at,
    ]);
    expect(stranger).toMatchObject({ value: false, reason: 'no_condition_match', person: null, person_properties: {} });
    const early = await cairn(['flags', 'eval', 'beta', '--user', 'ada', '--at', '2026-01-02T12:00:00Z', ...at]);
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringContaining('There is no flag "beta" at 2026-01-02T12:00'),
    ]);
    expect((await cairn(['flags', 'eval', 'beta', '--user', 'ada', ...at])).code).toBe(1);
  });

  it('tells the value of now in words, with what is said of the user on the spot', async () => {
    await server.addFlag({ key: 'gamma', filters: onPlan('pro'), active: true });
    const { stdout } = await cairn(['flags', 'eval', 'gamma', '--user', 'ada', ...at]);
    expect(stdout).toMatch(
      /^gamma is true for ada at 2026-01-07T00:00:00\.000Z\n {2}because {4}Matched condition set 1 /,
    );
    const other = await cairnJson(['flags', 'eval', 'gamma', '--user', 'ada', '--property', 'plan=free', ...at]);
    expect(other).toMatchObject({ value: false, reason: 'no_condition_match', person_properties: { plan: 'free' } });
  });
});

describe('doctor', () => {
  it('looks at a running server, and says what to do about what it finds', async () => {
    chmodSync(server.dataDir, 0o755);
    const { code, stdout } = await cairn(['doctor', ...at]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ok {4}metadata store: 1 persons; .*\bpersons 0\.\d MB/m);
    expect(stdout).toMatch(/^ok {4}event store: 2 events$/m);
    expect(stdout).toMatch(/^ok {4}sessions: none are kept yet$/m);
    expect(stdout).toMatch(
      /^ok {4}events: 2 accepted = 2 stored \+ 0 duplicate \+ 0 dropped \+ 0 dead-lettered \+ 0 lost \+ 0 waiting$/m,
    );
    expect(stdout).toContain(`→ chmod 700 ${server.dataDir}`);
    expect(stdout).toMatch(/^ok {4}secret key: none is needed yet$/m);
    expect(stdout).toMatch(/^look {2}backup: none yet\n {6}→ Create one every day: cairn backup FILE$/m);
  });

  it('checks the audit log alone', async () => {
    const { code, stdout } = await cairn(['doctor', '--audit', ...at]);
    expect([code, stdout.trim()]).toEqual([0, 'ok    audit log: every entry is as it was written']);
  });

  it('finds a damaged store, and names the way back', async () => {
    const folder = scratch.path('broken');
    mkdirSync(folder, { mode: 0o700 });
    for (const name of ['metadata.sqlite', 'events.duckdb']) {
      writeFileSync(join(folder, name), Buffer.alloc(8192, 'no database '));
    }
    const { code, stdout } = await cairn(['doctor', '--data-dir', folder]);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(
        /^BAD {3}stores: .*\/metadata\.sqlite cannot be opened: .*\n {6}Reason: file is not a database .*\n {6}.*cairn restore/m,
      ),
    ]);
  });
});

describe('demo', () => {
  it('fills a fresh folder with everything that it says it does', async () => {
    const folder = ['--data-dir', scratch.path('demo')];
    const { project, events } = await cairnJson(['demo', ...folder]);
    expect([project, events > 10_000]).toEqual([1, true]);
    const file = scratch.path('demo.ndjson');
    expect((await cairnJson(['export', 'events', '--out', file, ...folder])).exported).toBe(events);
  });
});
