/**
 * Compares what PostgreSQL has shipped with what ClickHouse has, when a worker becomes the owner of the event store. If
 * one of them was restored from an older backup, the difference is recorded as a loss.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import { type BlockStore, SHIPPED_TOTALS, type ShippedTotals } from '../../stores/cluster/block-store.ts';
import { addLoss, describeLoss, type EventLoss } from '../../stores/metadata/event-losses.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface CompareDeps {
  queue: Pick<BlockQueue, 'shipped' | 'runningShipment'>;
  events: Pick<BlockStore, 'shipped'>;
  metadata: Pick<MetadataStore, 'recovery' | 'installation' | 'transaction'>;
  clock: Clock;
  logger: Logger;
}

export async function compareShipped(deps: CompareDeps): Promise<void> {
  const shipped = await deps.queue.shipped();
  if (shipped === null) return;
  const stored = await deps.events.shipped();
  if (stored.shipment < shipped.shipment) {
    // A store without any shipment has no events; one of an earlier version has not counted them.
    const known = stored.shipment === 0 ? { ...stored, events: 0 } : stored;
    await record(deps, 'events', shipped, known);
  } else if (stored.shipment > shipped.shipment) {
    // The one that a crash has interrupted is known to both.
    const running = await deps.queue.runningShipment();
    if (running?.position !== stored.shipment) await record(deps, 'metadata', stored, shipped);
  }
}

/** `behind` is what one store has, `ahead` what the other says was there. */
async function record(
  deps: CompareDeps,
  store: 'events' | 'metadata',
  ahead: ShippedTotals,
  behind: ShippedTotals,
): Promise<void> {
  const events = behind.events === null || ahead.events === null ? null : Math.max(0, ahead.events - behind.events);
  const loss: EventLoss = {
    store,
    events,
    receivedFrom: behind.receivedAt,
    receivedTo: ahead.receivedAt,
    after: behind.shipment,
    upTo: ahead.shipment,
    foundAt: deps.clock.now(),
    acceptedAt: null,
  };
  if (events === 0) return;
  await deps.metadata.transaction(async ({ recovery, installation }) => {
    await addLoss(installation, loss);
    if (store === 'events' && events !== null) await recovery.countLost(events);
    // From now on they agree: what is shipped next is counted on top of what is there.
    const totals = { ...ahead, events: store === 'events' ? behind.events : ahead.events };
    await installation.set(SHIPPED_TOTALS, JSON.stringify(totals));
  });
  deps.logger.error({ loss }, `${describeLoss(loss)}; see cairn recover`);
}
