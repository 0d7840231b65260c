import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const UUID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const DROPPED = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c';

describe('data retention', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ config: { eventsRetentionDays: 365 } });
  });
  afterAll(() => server.close());

  it('deletes expired events by the setting of the project or the server', async () => {
    const other = await server.createProject();
    const { get, patch } = clientFor(server);
    const settings = { body: { events_retention_days: 30 } };
    expect((await patch(`/api/projects/${other.projectId}/`, settings)).status).toBe(200);
    const events = [
      { event: 'ancient', uuid: UUID, timestamp: '2024-01-01T00:00:00Z' },
      { event: 'old', timestamp: '2025-11-01T00:00:00Z' },
      { event: 'new', timestamp: '2026-01-15T10:00:00Z' },
      { event: 'lost', uuid: DROPPED, distinct_id: '' },
      { event: 'odd', timestamp: 'nonsense' },
    ];
    for (const key of [server.projectKey, other.projectKey]) await capture(server, key, events);
    const namesOf = async (projectId: number): Promise<string[]> =>
      (await get(`/api/projects/${projectId}/events/`)).body.results.map((item: { event: string }) => item.event);
    expect(await namesOf(other.projectId)).toEqual(['odd', 'new', 'old', 'ancient']);

    server.setNow('2026-01-15T12:01:00Z');
    await vi.waitFor(
      async () => {
        expect(await namesOf(server.projectId)).toEqual(['odd', 'new', 'old']);
        expect(await namesOf(other.projectId)).toEqual(['odd', 'new']);
      },
      { timeout: 10_000, interval: 100 },
    );
    const P = `/api/projects/${server.projectId}`;
    expect((await get(`${P}/events/${UUID}/fate/`)).body).toMatchObject({ fate: 'removed' });
    expect((await get(`${P}/events/${DROPPED}/fate/`)).body).toMatchObject({ fate: 'dropped' });
    expect((await get(`${P}/dropped_events/`)).body.results).toEqual([
      { uuid: DROPPED, reason: 'missing_distinct_id', received_at: expect.any(String), dropped_at: expect.any(String) },
    ]);
    expect((await get(`${P}/ingestion_warnings/`)).body.count).toBe(1);

    // The next run comes an hour later at the earliest; by then drops and warnings are forgotten too.
    server.setNow('2026-03-15T12:00:00Z');
    await vi.waitFor(
      async () => {
        expect((await get(`${P}/events/${DROPPED}/fate/`)).status).toBe(404);
        expect((await get(`${P}/dropped_events/`)).body.count).toBe(0);
        expect((await get(`${P}/ingestion_warnings/`)).body.count).toBe(0);
        expect(await namesOf(other.projectId)).toEqual([]);
        expect(await namesOf(server.projectId)).toEqual(['odd', 'new', 'old']);
      },
      { timeout: 10_000, interval: 100 },
    );
  });
});

describe('ingestion metrics', () => {
  it('are the same as in /_status', async () => {
    const server = await startServer();
    try {
      await capture(server, server.projectKey, [
        { uuid: UUID },
        { uuid: UUID },
        {},
        { distinct_id: '' },
        { event: '' },
        { event: '' },
      ]);
      for (let again = 0; again < 2; again++) {
        const { body } = await clientFor(server).get('/metrics');
        const lines = (body as string).split('\n').filter((line) => line.startsWith('cairn_ingest_'));
        expect(lines.sort()).toEqual([
          'cairn_ingest_accepted_total 6',
          'cairn_ingest_bots_total 0',
          'cairn_ingest_dead_lettered_total 0',
          'cairn_ingest_dropped_total{reason="missing_distinct_id"} 1',
          'cairn_ingest_dropped_total{reason="missing_event_name"} 2',
          'cairn_ingest_duplicate_total 1',
          'cairn_ingest_lag_seconds 0',
          'cairn_ingest_lost_total 0',
          'cairn_ingest_own_visits_total 0',
          'cairn_ingest_pending 0',
          'cairn_ingest_stored_total 2',
        ]);
      }
      expect((await clientFor(server).get('/_status')).body.ingest).toEqual({
        accepted: 6,
        stored: 2,
        duplicate: 1,
        dropped: { missing_distinct_id: 1, missing_event_name: 2 },
        dead_lettered: 0,
        lost: 0,
        pending: 0,
        labelled: { bots: 0, own: 0 },
        lag_ms: 0,
        waiting_for: null,
      });
    } finally {
      await server.close();
    }
  });
});

it('/metrics has the time of every step of processing', async () => {
  const server = await startServer();
  try {
    const steps = async (): Promise<Map<string, number>> => {
      const { body } = await clientFor(server).get('/metrics');
      const found = (body as string).matchAll(/^cairn_processing_step_seconds_total\{step="(\w+)"\} (\S+)$/gm);
      return new Map([...found].map(([, step = '', seconds]) => [step, Number(seconds)]));
    };
    expect(await steps()).toEqual(new Map());
    await capture(server, server.projectKey, [{ event: 'seen' }]);
    const first = await steps();
    expect([...first.keys()]).toEqual([
      'begin',
      'prepare',
      'load_projects',
      'normalise',
      'drop_and_deduplicate',
      'identify_cookieless',
      'load_groups',
      'load_persons',
      'load_webhooks',
      'load_destinations',
      'load_exports',
      'apply_events',
      'write_metadata',
      'write_events',
      'commit',
    ]);
    await capture(server, server.projectKey, [{ event: 'seen' }]);
    for (const [step, seconds] of await steps()) expect([step, seconds > (first.get(step) ?? 0)]).toEqual([step, true]);
  } finally {
    await server.close();
  }
});

describe('IP addresses', () => {
  it('are stored or not, by the setting of the project', async () => {
    const server = await startServer();
    try {
      const { get, patch } = clientFor(server);
      const P = `/api/projects/${server.projectId}`;
      const ipOf = async (event: string): Promise<unknown> =>
        (await get(`${P}/events/?event=${event}`)).body.results[0].properties.$ip;
      await capture(server, server.projectKey, [{ event: 'kept' }]);
      expect(await ipOf('kept')).toBe('127.0.0.1');
      await patch(`${P}/`, { body: { anonymize_ips: true } });
      await capture(server, server.projectKey, [
        { event: 'gone' },
        { event: 'sent', properties: { $ip: '203.0.113.7' } },
      ]);
      expect([await ipOf('gone'), await ipOf('sent')]).toEqual([undefined, undefined]);
    } finally {
      await server.close();
    }
  });
});
