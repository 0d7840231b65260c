/** Metrics of the whole cluster, the same on every node. */
import { Gauge, type Registry } from 'prom-client';
import type { ClusterStatus } from '../../stores/postgres/cluster-status.ts';

export function reportClusterMetrics(registry: Registry, read: () => Promise<ClusterStatus>): void {
  const registers = [registry];
  new Gauge({
    name: 'cairn_nodes',
    help: 'Nodes of the cluster seen within the last minute, by role',
    labelNames: ['role'] as const,
    registers,
    async collect() {
      const { parts } = await read();
      this.reset();
      for (const { role } of parts.nodes) this.inc({ role });
    },
  });
  new Gauge({
    name: 'cairn_log_partitions_unleased',
    help: 'Partitions of the log that no worker processes',
    registers,
    async collect() {
      this.set((await read()).parts.partitions.filter(({ worker }) => worker === null).length);
    },
  });
  new Gauge({
    name: 'cairn_blocks_waiting',
    help: 'Blocks of processed events waiting to be shipped to the event store',
    registers,
    async collect() {
      this.set((await read()).parts.blocks_waiting);
    },
  });
}
