import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** Read from the store when Prometheus asks. */
export function reportDestinations(registry: Registry, { destinations }: MetadataStore, clock: Clock): void {
  const registers = [registry];
  new Gauge({
    name: 'cairn_destination_events',
    help: 'Events for destinations in the last 90 days, by what became of them',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const { state, events } of await destinations.countAll()) this.set({ state }, events);
      this.set({ state: 'waiting' }, (await destinations.countAllWaiting()).events);
    },
  });
  new Gauge({
    name: 'cairn_destination_oldest_waiting_seconds',
    help: 'Age of the oldest event that waits for a destination',
    registers,
    async collect() {
      const { oldest } = await destinations.countAllWaiting();
      this.set(oldest === null ? 0 : (clock.now() - oldest) / 1000);
    },
  });
}
