import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** Deliveries of the last 30 days, read from the store when Prometheus asks. */
export function reportDeliveries(registry: Registry, { deliveries }: MetadataStore, clock: Clock): void {
  const registers = [registry];
  new Gauge({
    name: 'cairn_deliveries',
    help: 'Messages of the last 30 days, by what became of them',
    labelNames: ['state'],
    registers,
    async collect() {
      const { made, sent, failed, waiting } = await deliveries.count();
      for (const [state, count] of Object.entries({ made, sent, failed, waiting })) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'cairn_deliveries_oldest_waiting_seconds',
    help: 'Age of the oldest message that waits to be delivered',
    registers,
    async collect() {
      const { oldestWaiting } = await deliveries.count();
      this.set(oldestWaiting === null ? 0 : (clock.now() - oldestWaiting) / 1000);
    },
  });
}
