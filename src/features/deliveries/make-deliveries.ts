import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { NO_PROJECT } from './rules/delivery-kinds.ts';
import { type DeliveryTarget, deliveryKey, organizationTargetHash, targetHash } from './rules/delivery-target.ts';
import type { Message } from './rules/message.ts';
import type { NewDelivery } from './store/delivery-store.ts';

interface MessageToSend {
  projectId: number;
  kind: NewDelivery['kind'];
  subjectId: string;
  slot: number;
  message: Message;
  targets: readonly DeliveryTarget[];
  ownerId: number | null;
  now: number;
}

/**
 * Puts a message for each target into the outbox, in the transaction of what it is about. A second message about the
 * same slot to the same target is left out. How many are new.
 */
export async function makeDeliveries(store: MetadataStore, given: MessageToSend): Promise<number> {
  const { targets, now, kind, subjectId, slot, ...rest } = given;
  const byKey = new Map<string, NewDelivery>();
  for (const target of targets) {
    const hash = given.projectId === NO_PROJECT ? organizationTargetHash(subjectId, target) : targetHash(target);
    const key = deliveryKey(kind, subjectId, slot, hash);
    byKey.set(key, { ...rest, kind, subjectId, slot, key, target, targetHash: hash, createdAt: now });
  }
  return (await store.deliveries.create([...byKey.values()])).length;
}
