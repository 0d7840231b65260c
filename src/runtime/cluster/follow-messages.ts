/**
 * What the main thread of a node makes of the news of others. News may get lost, so it also looks by itself every few
 * seconds; while the database is away nothing is forgotten, since memory is all there is then.
 */
import type pg from 'pg';
import type { HeardNews } from '../../ingest/cluster/broadcast-confirmations.ts';
import type { PartitionedWrites } from '../../ingest/cluster/partitioned-read-your-writes.ts';
import type { News, NewsChannel } from '../../stores/cluster/node-messages.ts';
import type { PartitionedLog } from '../../stores/cluster/partitioned-log.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { ask } from '../../stores/postgres/log-pool.ts';
import type { SetListeners } from '../backend.ts';

export interface FollowDeps {
  news: NewsChannel;
  node: string;
  log: Pick<PartitionedLog, 'positions'>;
  pool: pg.Pool;
  writes: PartitionedWrites;
  heard: HeardNews;
  metadata: Pick<MetadataStore, 'subjects'>;
  listeners: SetListeners;
  onChores(): void;
  lookEveryMs?: number;
}

const LOOK_EVERY_MS = 2000;

export function followNews(deps: FollowDeps): { stop(): void } {
  const { news, node, writes, metadata, listeners } = deps;
  news.on((piece: News) => {
    const { came, processed, shipped, redefined } = piece;
    if (came) {
      const heads = new Map(Object.entries(came.heads).map(([partition, head]) => [Number(partition), head]));
      if (came.from === node) deps.heard.hear(heads);
      else writes.note(came.changed, heads);
    }
    if (processed) {
      metadata.subjects.refresh();
      writes.processed(processed.positions);
    }
    if (shipped !== undefined) shipped === null ? listeners.onUnknown() : listeners.onStored(shipped, []);
    if (redefined !== undefined) listeners.onRedefined(redefined);
    if (piece.chores) deps.onChores();
  });
  let lastVersion: number | null = null;
  const look = async (): Promise<void> => {
    writes.processed(await deps.log.positions());
    const version = await versionOf(deps.pool);
    if (lastVersion !== null && version !== lastVersion) listeners.onRedefined(null);
    lastVersion = version;
  };
  news.onGap(() => {
    listeners.onUnknown();
    listeners.onRedefined(null);
    deps.onChores();
    look().catch(() => undefined);
  });
  const timer = setInterval(() => look().catch(() => undefined), deps.lookEveryMs ?? LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Grows with every change of a definition. */
async function versionOf(pool: pg.Pool): Promise<number> {
  const text = 'select coalesce(sum(version), 0)::bigint as version from project_versions';
  const [row] = await ask<{ version: number }>(pool, 'definitions_version', text);
  return row?.version ?? 0;
}
