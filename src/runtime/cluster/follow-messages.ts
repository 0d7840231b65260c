/**
 * What the main thread of a node does with the messages of other nodes. Messages may get lost, so it also polls; while
 * the database is down, caches are kept, because they are all there is.
 */
import type pg from 'pg';
import type { BroadcastConfirmations } from '../../ingest/cluster/broadcast-confirmations.ts';
import type { PartitionedReadYourWrites } from '../../ingest/cluster/partitioned-read-your-writes.ts';
import type { MessageChannel, NodeMessage } from '../../stores/cluster/node-messages.ts';
import type { PartitionedLog } from '../../stores/cluster/partitioned-log.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { queryRows } from '../../stores/postgres/log-pool.ts';
import type { BackendListeners } from '../backend.ts';

interface FollowMessagesDeps {
  messages: MessageChannel;
  node: string;
  log: Pick<PartitionedLog, 'positions'>;
  pool: pg.Pool;
  writes: PartitionedReadYourWrites;
  confirmations: BroadcastConfirmations;
  metadata: Pick<MetadataStore, 'subjects'>;
  listeners: BackendListeners;
  onLeaderWork(): void;
  pollIntervalMs?: number;
}

const POLL_INTERVAL_MS = 1000;

export function followMessages(deps: FollowMessagesDeps): { stop(): void } {
  const { messages, node, writes, metadata, listeners } = deps;
  messages.onMessage((message: NodeMessage) => {
    const { came, processed, shipped, redefined } = message;
    if (came) {
      const heads = new Map(Object.entries(came.heads).map(([partition, head]) => [Number(partition), head]));
      if (came.from === node) deps.confirmations.confirm(heads);
      else writes.add(came.changed, heads);
    }
    if (processed) {
      metadata.subjects.refresh();
      writes.onProcessed(processed.positions);
    }
    if (shipped !== undefined) shipped === null ? listeners.onUnknownChange() : listeners.onStored(shipped, []);
    if (redefined !== undefined) listeners.onDefinitionsChanged(redefined);
    if (message.chores) deps.onLeaderWork();
  });
  let lastVersion: number | null = null;
  const poll = async (): Promise<void> => {
    const positions = await deps.log.positions();
    // Read after the positions, so that it includes the group types that those entries added.
    const version = await definitionsVersion(deps.pool);
    if (version !== lastVersion) listeners.onDefinitionsChanged(null);
    lastVersion = version;
    writes.onProcessed(positions);
  };
  messages.onReconnect(() => {
    listeners.onUnknownChange();
    listeners.onDefinitionsChanged(null);
    deps.onLeaderWork();
    poll().catch(() => undefined);
  });
  const timer = setInterval(() => poll().catch(() => undefined), deps.pollIntervalMs ?? POLL_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Grows with every change of a definition. */
async function definitionsVersion(pool: pg.Pool): Promise<number> {
  const text = 'select coalesce(sum(version), 0)::bigint as version from project_versions';
  const [row] = await queryRows<{ version: number }>(pool, 'definitions_version', text);
  return row?.version ?? 0;
}
