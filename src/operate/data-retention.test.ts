import { pino } from 'pino';
import { expect, it } from 'vitest';
import { aSession } from '../../test/contract/account-builders.ts';
import { uuidOf } from '../../test/contract/events.ts';
import { makeTempDir } from '../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../test/support/migrated-store.ts';
import { bootstrap } from '../features/accounts/bootstrap.ts';
import { randomIds } from '../lib/ids.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../stores/ingest/no-changes.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { type DataRetentionDeps, removeExpired } from './data-retention.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;

async function withStores(work: (deps: DataRetentionDeps, removed: number[][]) => Promise<void>): Promise<void> {
  const dir = makeTempDir();
  const { metadata, ingest } = await openMigratedStore(dir.path('metadata.sqlite'), NOW);
  const clock = { now: () => NOW };
  const keys = { projectKey: null, personalKey: null, admin: null };
  await bootstrap({ metadata, clock, ids: randomIds }, keys);
  const removed: number[][] = [];
  const removeEventsBefore = async (projectId: number, time: number): Promise<number> => {
    removed.push([projectId, time]);
    return 1;
  };
  const removeLeftovers = async (): Promise<number> => 0;
  const removeEvents = async (projectId: number): Promise<void> => {
    removed.push([projectId]);
  };
  const logger = pino({ level: 'silent' });
  try {
    const deps = {
      metadata,
      ingest,
      clock,
      logger,
      removeEventsBefore,
      removeEvents,
      removeLeftovers,
      eventsRetentionDays: null,
      auditDays: 365,
    };
    await work(deps, removed);
  } finally {
    await metadata.close();
    dir.remove();
  }
}

it('keeps events forever by default', () =>
  withStores(async (deps, removed) => {
    await removeExpired(deps);
    expect(removed).toEqual([]);
    await removeExpired({ ...deps, eventsRetentionDays: 10 });
    expect(removed).toEqual([[1, NOW - 10 * DAY]]);
  }));

it('deletes late events of deleted projects for two days', () =>
  withStores(async (deps, removed) => {
    const { projects } = deps.metadata;
    await projects.recordDeleted(7, NOW - 2 * DAY);
    await projects.recordDeleted(8, NOW - 2 * DAY - 1);
    await removeExpired(deps);
    expect(removed).toEqual([[7], [8]]);
    expect(await projects.listDeleted()).toEqual([{ projectId: 7, deletedAt: NOW - 2 * DAY }]);
    const down = { ...deps, removeEvents: () => Promise.reject(new Error('down')) };
    await expect(removeExpired({ ...down, clock: { now: () => NOW + DAY } })).rejects.toThrow('down');
    expect(await projects.listDeleted()).toHaveLength(1);
  }));

it('deletes expired sessions, even if the event store is down', () =>
  withStores(async (deps) => {
    const { sessions } = deps.metadata;
    await sessions.create(aSession({ hash: 'old', expiresAt: NOW - 1 }));
    await sessions.create(aSession({ hash: 'new', expiresAt: NOW + 1 }));
    const down = { ...deps, eventsRetentionDays: 1, removeEventsBefore: () => Promise.reject(new Error('down')) };
    await expect(removeExpired(down)).rejects.toThrow('down');
    expect(await sessions.getByHash('old')).toBeNull();
    expect((await sessions.getByHash('new'))?.expiresAt).toBe(NOW + 1);
  }));

it('deletes query usage after thirty days', () =>
  withStores(async (deps) => {
    const today = Math.floor(NOW / DAY);
    const at = (day: number, id: number) => ({
      id: uuidOf(id),
      projectId: 1,
      name: `on ${day}`,
      at: id,
      createdAt: id,
    });
    const days = [today, today - 29, today - 30];
    const { metadata, ingest } = deps as DataRetentionDeps & { metadata: MetadataStore; ingest: IngestStore };
    await ingest.transaction((tx) => tx.apply({ ...NO_CHANGES, position: 1, events: days.map(at) }));
    const event = { kind: 'event', groupTypeIndex: -1 } as const;
    await metadata.queryUsage.addCounts(
      days.map((day) => ({ ...event, projectId: 1, day, name: `on ${day}`, count: 1 })),
    );
    await removeExpired(deps);
    expect([...(await metadata.queryUsage.countSince(1, event, 0)).keys()].sort()).toEqual([
      `on ${today - 29}`,
      `on ${today}`,
    ]);
  }));
