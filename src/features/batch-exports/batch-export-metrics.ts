import { Gauge, type Registry } from 'prom-client';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** Read from the store when Prometheus asks. */
export function reportBatchExports(registry: Registry, { batchExports }: MetadataStore): void {
  const registers = [registry];
  new Gauge({
    name: 'cairn_batch_export_runs',
    help: 'Runs of exports, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      for (const { status, runs } of await batchExports.countRuns()) this.set({ status }, runs);
    },
  });
  new Gauge({
    name: 'cairn_batch_export_records',
    help: 'Rows in the files of complete runs of exports',
    registers,
    async collect() {
      const counts = await batchExports.countRuns();
      this.set(counts.find(({ status }) => status === 'Completed')?.records ?? 0);
    },
  });
}
