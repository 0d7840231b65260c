import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { replayDeadLetter } from '../../src/ingest/track/replay-dead-letters.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { openFolder, processPoisoned } from '../support/poison.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

const UUID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const ARRIVED = Date.parse('2026-01-15T09:00:00Z');

describe('dead letters', () => {
  let dataDir: string;
  let server: TestServer;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cairn-letters-'));
    server = await startServer({ dataDir });
  });
  afterEach(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Stops the server, does something to its folder, and starts it again. */
  async function meanwhile(work: () => Promise<void>): Promise<void> {
    await server.close();
    await work();
    server = await startServer({ dataDir });
  }
  const poison = (body: object, events?: number) =>
    meanwhile(() => processPoisoned(dataDir, server.projectId, body, ARRIVED, events));
  const path = (rest: string): string => `/api/projects/${server.projectId}/${rest}`;
  const get = async (rest: string) => (await clientFor(server).get(path(rest))).body;
  const post = (rest: string) => clientFor(server).post(path(rest));
  const ingest = async () => (await clientFor(server).get('/_status')).body.ingest;
  const addsUp = async (): Promise<boolean> => {
    const { accepted, stored, duplicate, dropped, dead_lettered, pending } = await ingest();
    const drops = Object.values<number>(dropped).reduce((sum, n) => sum + n, 0);
    return accepted === stored + duplicate + drops + dead_lettered + pending;
  };

  it('are replayed many at once, oldest first', async () => {
    const batch = Array.from({ length: 5 }, (_, n) => ({ event: 'poison', distinct_id: `d${n}`, properties: { n } }));
    await poison({ batch }, 5);
    expect((await post('dead_letters/replay/?limit=2')).body).toEqual({ success: true, replayed: 2, remaining: 3 });
    expect((await post('dead_letters/replay/')).body).toEqual({ success: true, replayed: 3, remaining: 0 });
    await server.drain();
    expect((await get('events/')).results.map((item: { distinct_id: string }) => item.distinct_id).sort()).toEqual([
      'd0',
      'd1',
      'd2',
      'd3',
      'd4',
    ]);
    expect(await addsUp()).toBe(true);
  });

  it('are listed with error and payload, and do not affect other events', async () => {
    const batch = [
      { event: 'before', distinct_id: 'ada' },
      { event: 'poison', distinct_id: 'ada', uuid: UUID, properties: { n: 1 } },
      { event: 'after', distinct_id: 'ada' },
    ];
    await poison({ batch }, 3);
    const { count, results } = await get('dead_letters/');
    expect(count).toBe(1);
    expect(results).toEqual([
      {
        id: expect.any(Number),
        event_uuid: UUID,
        event: 'poison',
        distinct_id: 'ada',
        error: 'Event ingestion failed. Error: boom',
        payload: expect.objectContaining({ event: 'poison', uuid: UUID }),
        request_events: null,
        received_at: '2026-01-15T09:00:00Z',
        failed_at: '2026-01-15T09:00:01Z',
      },
    ]);
    expect(await get(`dead_letters/${results[0].id}/`)).toEqual(results[0]);
    expect((await get('events/')).results.map((item: { event: string }) => item.event).sort()).toEqual([
      'after',
      'before',
    ]);
    expect(await get(`events/${UUID}/fate/`)).toMatchObject({
      fate: 'dead_lettered',
      reason: 'Event ingestion failed. Error: boom',
      accepted_at: '2026-01-15T09:00:00Z',
      dead_lettered_at: '2026-01-15T09:00:01Z',
      dead_letter_id: results[0].id,
    });
    expect(await ingest()).toMatchObject({ accepted: 3, stored: 2, dead_lettered: 1, pending: 0 });
  });

  it('are replayed with their arrival time, whatever their id comes from', async () => {
    const kinds = [{ uuid: UUID }, { messageId: 'm-1' }, {}, { batch: [{ event: 'x' }] }];
    await poison(
      kinds.map((fields) => ({ event: 'poison', distinct_id: 'ada', ...fields })),
      kinds.length,
    );
    const letters: { id: number; event_uuid: string }[] = (await get('dead_letters/')).results;
    for (const { id, event_uuid } of letters) {
      const { status, body } = await post(`dead_letters/${id}/replay/`);
      expect([status, body]).toEqual([200, { success: true, event_uuid }]);
    }
    await server.drain();
    const { results } = await get('events/');
    const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id).sort();
    expect(idsOf(results)).toEqual(idsOf(letters.map(({ event_uuid: id }) => ({ id }))));
    for (const event of results) {
      expect(event).toMatchObject({ event: 'poison', timestamp: '2026-01-15T09:00:00+00:00' });
      expect(event.properties.$ip).toBe('10.1.2.3');
      expect(await get(`events/${event.id}/fate/`)).toMatchObject({ fate: 'stored', duplicates: 0 });
    }
    expect((await get('dead_letters/')).count).toBe(0);
    expect(await ingest()).toMatchObject({ accepted: 8, stored: 4, dead_lettered: 4, duplicate: 0, pending: 0 });
  });

  it('are the same event when the client sends them again', async () => {
    const event = { event: 'poison', distinct_id: 'ada', messageId: 'm-1' };
    await poison([event]);
    await capture(server, server.projectKey, [event]);
    const [letter] = (await get('dead_letters/')).results;
    await post(`dead_letters/${letter.id}/replay/`);
    await server.drain();
    expect((await get('events/')).results).toHaveLength(1);
    expect(await get(`events/${letter.event_uuid}/fate/`)).toMatchObject({ fate: 'stored', duplicates: 1 });
    expect(await addsUp()).toBe(true);
  });

  it('are stored once even if the process crashes between replay and removal', async () => {
    await poison([{ event: 'poison', distinct_id: 'ada' }]);
    const [letter] = (await get('dead_letters/')).results;
    await meanwhile(async () => {
      const { metadata, log, close } = await openFolder(dataDir);
      const died = replayDeadLetter(
        {
          deadLetters: { ...metadata.deadLetters, delete: () => Promise.reject(new Error('killed')) },
          ingestion: { accept: async (entry) => void (await log.append(entry)) },
          ids: randomIds,
        },
        server.projectId,
        letter.id,
      );
      await expect(died).rejects.toThrow('killed');
      await close();
    });
    await server.drain();
    expect((await get('dead_letters/')).count).toBe(1);
    expect(await get(`events/${letter.event_uuid}/fate/`)).toMatchObject({ fate: 'stored' });
    expect((await post(`dead_letters/${letter.id}/replay/`)).status).toBe(200);
    await server.drain();
    expect((await get('events/')).results).toHaveLength(1);
    expect((await get('dead_letters/')).count).toBe(0);
    expect(await ingest()).toMatchObject({ accepted: 3, stored: 1, duplicate: 1, dead_lettered: 1, pending: 0 });
  });

  it('answer 404 to invalid ids', async () => {
    for (const id of ['0', '999', 'x', '1e3', '-1', '99999999999999999999']) {
      expect((await clientFor(server).get(path(`dead_letters/${id}/`))).status).toBe(404);
      expect((await post(`dead_letters/${id}/replay/`)).status).toBe(404);
    }
  });

  it('belong to their project', async () => {
    await poison([{ event: 'poison', distinct_id: 'ada' }]);
    const [letter] = (await get('dead_letters/')).results;
    const other = await server.createProject();
    const foreign = `/api/projects/${other.projectId}/dead_letters/${letter.id}/`;
    expect((await clientFor(server).get(foreign)).status).toBe(404);
    expect((await clientFor(server).post(`${foreign}replay/`)).status).toBe(404);
    expect((await get('dead_letters/')).count).toBe(1);
  });
});

describe('the fate of an event', () => {
  let server: TestServer;
  let project: TestProject;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    project = await server.createProject();
  });
  const fate = (uuid: string) => clientFor(server).get(`/api/projects/${project.projectId}/events/${uuid}/fate/`);

  it('counts duplicates', async () => {
    await capture(server, project.projectKey, [{ uuid: UUID }, { uuid: UUID }]);
    await capture(server, project.projectKey, [{ uuid: UUID }]);
    expect((await fate(UUID)).body).toEqual({
      uuid: UUID,
      fate: 'stored',
      reason: null,
      accepted_at: START.replace('.000Z', 'Z'),
      stored_at: START.replace('.000Z', 'Z'),
      dropped_at: null,
      dead_lettered_at: null,
      dead_letter_id: null,
      duplicates: 2,
    });
  });

  it('is pending while the processor cannot write, as the counters show', async () => {
    const { default: Database } = await import('better-sqlite3');
    // The first call of a key notes when it was used: that write would wait for the lock as well.
    expect((await fate(UUID)).status).toBe(404);
    const lock = new Database(`${server.dataDir}/metadata.sqlite`);
    lock.exec('begin immediate');
    try {
      const body = JSON.stringify({ api_key: project.projectKey, event: 'ping', distinct_id: 'ada', uuid: UUID });
      const { status } = await fetch(new URL('/capture/', server.url), { method: 'POST', body });
      expect(status).toBe(200);
      const at = START.replace('.000Z', 'Z');
      expect((await fate(UUID)).body).toMatchObject({ fate: 'pending', reason: null, accepted_at: at, duplicates: 0 });
      expect((await clientFor(server).get('/_status')).body.ingest.pending).toBe(1);
    } finally {
      lock.exec('rollback');
      lock.close();
    }
    await server.drain();
    expect((await fate(UUID)).body).toMatchObject({ fate: 'stored' });
  });

  it('shows why it was dropped', async () => {
    await capture(server, project.projectKey, [{ uuid: UUID, distinct_id: '' }]);
    const at = START.replace('.000Z', 'Z');
    expect((await fate(UUID)).body).toMatchObject({ fate: 'dropped', reason: 'missing_distinct_id', dropped_at: at });
  });

  it('knows events whose id the server generated', async () => {
    await capture(server, project.projectKey, [{}]);
    const { body } = await clientFor(server).get(`/api/projects/${project.projectId}/events/`);
    expect((await fate(body.results[0].id)).body).toMatchObject({ fate: 'stored', duplicates: 0 });
  });

  it('answers 404 to an unknown id, and 400 to an invalid one', async () => {
    expect((await fate(UUID)).status).toBe(404);
    expect((await fate('nonsense')).body).toMatchObject({ detail: 'Invalid UUID', code: 'invalid' });
  });

  it('is visible in its own project only', async () => {
    const other = await server.createProject();
    await capture(server, other.projectKey, [{ uuid: UUID }]);
    expect((await fate(UUID)).status).toBe(404);
  });
});

describe('ingestion warnings', () => {
  it('are listed newest first, and by type', async () => {
    const server = await startServer();
    try {
      await capture(server, server.projectKey, [{ timestamp: 'nonsense' }]);
      server.setNow('2026-01-15T13:00:00Z');
      await capture(server, server.projectKey, [{ event: '$identify', properties: { $anon_distinct_id: 'null' } }]);
      const path = `/api/projects/${server.projectId}/ingestion_warnings/`;
      const { body } = await clientFor(server).get(path);
      expect(body.count).toBe(2);
      expect(body.results.map((item: { type: string; timestamp: string }) => [item.type, item.timestamp])).toEqual([
        ['cannot_merge_with_illegal_distinct_id', '2026-01-15T13:00:00Z'],
        ['ignored_invalid_timestamp', '2026-01-15T12:00:00Z'],
      ]);
      expect(body.results[0].details).toMatchObject({ illegalDistinctId: 'null' });
      const { body: some } = await clientFor(server).get(`${path}?type=ignored_invalid_timestamp&limit=1`);
      expect([some.count, some.next, some.results.length]).toEqual([1, null, 1]);
      expect((await clientFor(server).get(path, { key: null })).status).toBe(401);
    } finally {
      await server.close();
    }
  });
});
