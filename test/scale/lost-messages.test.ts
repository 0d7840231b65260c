/** A node that gets no messages polls: whoever waits for entries must then find the definitions that they added. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BroadcastConfirmations } from '../../src/ingest/cluster/broadcast-confirmations.ts';
import { PartitionedReadYourWrites } from '../../src/ingest/cluster/partitioned-read-your-writes.ts';
import { subjectHash } from '../../src/ingest/cluster/split-by-partition.ts';
import { followMessages } from '../../src/runtime/cluster/follow-messages.ts';
import type { MessageChannel } from '../../src/stores/cluster/node-messages.ts';
import { openPool } from '../../src/stores/postgres/pool.ts';
import { describeWithPostgres, freshDatabase, type TestDatabase } from '../support/postgres.ts';

const PROJECT = 1;
const SILENT: MessageChannel = {
  send: () => undefined,
  onMessage: () => undefined,
  onReconnect: () => undefined,
  close: async () => undefined,
};

describeWithPostgres(() => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = await openPool(database.url, { size: 2 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('reports changed definitions before entries as processed', async () => {
    const writes = new PartitionedReadYourWrites({
      initialHeads: new Map(),
      partitions: 1,
      processNow: () => undefined,
      timeoutMs: 60_000,
    });
    writes.add([[0, PROJECT, [subjectHash('ada')]]], new Map([[0, 7]]));
    const seen: string[] = [];
    let position = 0;
    const following = followMessages({
      messages: SILENT,
      node: 'n1',
      log: { positions: async () => new Map([[0, position]]) },
      pool,
      writes,
      confirmations: new BroadcastConfirmations(),
      metadata: { subjects: { refresh: () => undefined } as never },
      listeners: {
        onStored: () => undefined,
        onUnknownChange: () => undefined,
        onDefinitionsChanged: (projectId) => void seen.push(`definitions of ${projectId ?? 'all projects'}`),
      },
      onLeaderWork: () => undefined,
      pollIntervalMs: 5,
    });
    try {
      await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['definitions of all projects']);
      const settled = writes.settled(PROJECT, ['ada'])?.then(() => seen.push('processed'));
      await pool.query('insert into project_versions values ($1, 1)', [PROJECT]);
      position = 7;
      await settled;
      // Polls may overlap, and report the same change again.
      expect([seen[1], seen.at(-1)]).toEqual(['definitions of all projects', 'processed']);
      expect(writes.outdated).toBe(0);
    } finally {
      following.stop();
    }
  });
});
