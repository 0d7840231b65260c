import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from './make-deliveries.ts';
import type { Message } from './rules/message.ts';

interface Notice {
  projectId: number;
  subjectId: string;
  /** There is one message for each. */
  slot: number;
  ownerId: number | null;
  message: Message;
  now: number;
}

/** Mails the owner of something, in the transaction of what happened to it. Without an owner, nothing is sent. */
export async function notifyOwner(store: MetadataStore, { ownerId, ...notice }: Notice): Promise<void> {
  const owner = ownerId === null ? null : await store.users.get(ownerId);
  if (!owner) return;
  const targets = [{ type: 'email', userId: owner.id, address: owner.email } as const];
  await makeDeliveries(store, { ...notice, kind: 'notice', ownerId: owner.id, targets });
}
