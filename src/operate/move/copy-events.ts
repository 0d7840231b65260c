/**
 * Ships events to ClickHouse. The content of a shipment is recorded before it is sent: after a crash the same shipment is
 * sent again under the same number, and ClickHouse stores it once.
 */
import type { BlockStore, Shipment } from '../../stores/cluster/block-store.ts';
import { packBlock } from '../../stores/cluster/event-block.ts';
import type { ReadOnlyEventFile } from '../../stores/duckdb/read-only.ts';
import { MoveError } from './move-error.ts';
import type { MoveProgress } from './progress.ts';
import { type MoveTarget, targetNotEmpty } from './target.ts';

/** Positions of rows, or of overrides in their order. */
interface ShipmentRange {
  part: 'events' | 'overrides';
  from: number;
  to: number;
}

interface ShipmentMark extends ShipmentRange {
  position: number;
}

type ShipmentBatch = Omit<Shipment, 'position'> & { to: number; count: number };

export interface ShipmentLimits {
  /** Positions read at a time. */
  window: number;
  events: number;
  bytes: number;
  /** Limited because they are compared in one statement. */
  overrides: number;
}

const SHIPMENT_LIMITS: ShipmentLimits = { window: 25_000, events: 200_000, bytes: 24 * 1024 * 1024, overrides: 1000 };

interface CopyEventsDeps {
  events: ReadOnlyEventFile;
  store: BlockStore;
  target: MoveTarget;
  progress: MoveProgress;
  limits?: ShipmentLimits;
}

export async function copyEvents(deps: CopyEventsDeps): Promise<void> {
  let last = await resendLastShipment(deps);
  for (const part of ['events', 'overrides'] as const) {
    if (last?.part === 'overrides' && part === 'events') continue;
    for (let from: number = last?.part === part ? last.to : 0; ; ) {
      const load = await readBatch(deps, { part, from, to: Number.POSITIVE_INFINITY });
      if (load.count === 0) break;
      const position: number = (last?.position ?? 0) + 1;
      last = { part, from, to: load.to, position };
      await deps.target.setMark('shipment', last);
      await deps.store.writeBlocks({ ...load, position });
      deps.progress.add(load.count);
      from = load.to;
    }
  }
}

/** Events and overrides that are not shipped yet. */
export async function countRemainingEvents({
  events,
  target,
}: Pick<CopyEventsDeps, 'events' | 'target'>): Promise<number> {
  const last = await target.getMark<ShipmentMark>('shipment');
  const overrides = await events.overrideCount();
  if (last?.part === 'overrides') return overrides - last.to;
  const all = await events.count(await events.end());
  return all + overrides - (last === null ? 0 : await events.count(last.to));
}

/** The last recorded shipment may not have arrived: then it is sent again. */
async function resendLastShipment(deps: CopyEventsDeps): Promise<ShipmentMark | null> {
  const last = await deps.target.getMark<ShipmentMark>('shipment');
  const reached = await deps.store.position();
  if (last === null) {
    if (reached > 0 || (await hasEvents(deps.store))) throw targetNotEmpty('its ClickHouse contains events');
    return null;
  }
  if (reached > last.position || reached < last.position - 1) {
    throw new MoveError(
      `ClickHouse has shipment ${reached}, but the move has sent ${last.position}: this is not the database that the move started with.`,
    );
  }
  if (reached < last.position) {
    const { blocks, overrides } = await readBatch(deps, last);
    await deps.store.writeBlocks({ blocks, overrides, position: last.position });
  }
  return last;
}

const hasEvents = async (store: BlockStore): Promise<boolean> =>
  (await store.query('select 1 as found from event_rows limit 1', [])).length > 0;

/** As much of the range as fits into one shipment; all of it if its end was recorded before. */
function readBatch(deps: CopyEventsDeps, stretch: ShipmentRange): Promise<ShipmentBatch> {
  return stretch.part === 'events' ? readEvents(deps, stretch) : readOverrides(deps, stretch);
}

async function readEvents(
  { events, limits = SHIPMENT_LIMITS }: CopyEventsDeps,
  { from, to }: ShipmentRange,
): Promise<ShipmentBatch> {
  const isFixed = Number.isFinite(to);
  const end = isFixed ? to : await events.end();
  const blocks: Buffer[] = [];
  let [count, bytes, at] = [0, 0, from];
  while (at < end && (isFixed || (count < limits.events && bytes < limits.bytes))) {
    const next = Math.min(await events.rangeEnd(at, limits.window, limits.bytes), end);
    for await (const chunk of events.events(at, next)) {
      const block = packBlock(chunk);
      blocks.push(block);
      count += chunk.length;
      bytes += block.length;
    }
    at = next;
  }
  return { blocks, overrides: [], to: at, count };
}

async function readOverrides(
  { events, limits = SHIPMENT_LIMITS }: CopyEventsDeps,
  { from, to }: ShipmentRange,
): Promise<ShipmentBatch> {
  const overrides = await events.overrides(from, Math.min(to, from + limits.overrides));
  return { blocks: [], overrides, to: from + overrides.length, count: overrides.length };
}
