/**
 * Where the audit log of an organization is sent. Whoever turns the webhook off, or sends it elsewhere, cannot do so
 * unnoticed: the old address gets that entry too.
 */
import type { Caller } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Organization } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import { NO_PROJECT } from '../deliveries/rules/delivery-kinds.ts';
import { organizationTargetHash, shortTarget } from '../deliveries/rules/delivery-target.ts';
import { newWebhookSecret, requireWebhookAddress } from '../deliveries/webhook-address.ts';
import { aboutAudit, forwardEntries, targetOf } from './forward-audit.ts';
import type { AuditWebhook } from './store/audit-webhook-store.ts';

export interface AuditWebhookDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { webhookAllowPrivate: boolean };
}

interface SavedWebhook {
  webhook: AuditWebhook;
  /** Null: it is the one before. */
  secret: string | null;
}

const ALL_ENTRIES = Number.MAX_SAFE_INTEGER;

/** A new address gets a new secret: whoever has the old one could speak to it otherwise. */
export async function saveAuditWebhook(
  deps: AuditWebhookDeps,
  caller: Caller,
  { id: organizationId }: Organization,
  given: { url?: string | undefined; rollSecret?: boolean | undefined },
): Promise<SavedWebhook> {
  const now = deps.clock.now();
  if (given.url !== undefined) requireWebhookAddress(given.url, 'url', deps.config.webhookAllowPrivate);
  return deps.metadata.transaction(async (store) => {
    const before = await store.auditWebhooks.get(organizationId);
    const url = given.url ?? before?.url;
    if (url === undefined) throw notFound();
    const isMoved = before?.url !== url;
    const isRolled = !isMoved && given.rollSecret === true;
    const secret = isMoved || isRolled ? newWebhookSecret(deps.ids) : null;
    const [last] = (await store.audit.list({ organizationId }, { limit: 1, offset: 0 })).items;
    const webhook: AuditWebhook = {
      organizationId,
      url,
      secret: secret ?? before?.secret ?? '',
      previousSecret: isMoved ? null : isRolled ? (before?.secret ?? null) : (before?.previousSecret ?? null),
      rolledAt: isRolled ? now : isMoved ? null : (before?.rolledAt ?? null),
      // A new address is told first that it is the address.
      lastNumber: isMoved ? (last?.number ?? 0) : (before?.lastNumber ?? 0),
      createdBy: caller.user.id,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const activity = before === null ? 'created' : isRolled ? 'rolled' : 'updated';
    const field = isMoved ? 'url' : isRolled ? 'secret' : null;
    if (field !== null) await record(deps, store, caller, webhook, activity, field);
    if (before !== null && isMoved) await forwardEntries(store, before, now, ALL_ENTRIES);
    await store.auditWebhooks.set(webhook);
    await store.deliveries.resumeTarget(NO_PROJECT, organizationTargetHash(organizationId, targetOf(webhook, now)));
    return { webhook, secret };
  });
}

export async function removeAuditWebhook(deps: AuditWebhookDeps, caller: Caller, { id }: Organization): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const webhook = await requireWebhook(store, id);
    await record(deps, store, caller, webhook, 'deleted', null);
    await forwardEntries(store, webhook, deps.clock.now(), ALL_ENTRIES);
    await store.auditWebhooks.delete(id);
  });
}

export async function testAuditWebhook(deps: AuditWebhookDeps, { id }: Organization): Promise<void> {
  const now = deps.clock.now();
  await deps.metadata.transaction(async (store) => {
    const webhook = await requireWebhook(store, id);
    await makeDeliveries(store, {
      ...aboutAudit(id),
      ownerId: webhook.createdBy,
      slot: now,
      now,
      targets: [targetOf(webhook, now)],
      message: {
        type: 'audit.test',
        timestamp: now,
        title: 'Test of the audit webhook',
        text: '',
        facts: [],
        url: null,
        data: { organization_id: id, test: true },
      },
    });
  });
}

/** Sends again what failed, also to an address that was paused. How many entries. */
export async function retryAuditWebhook(deps: AuditWebhookDeps, { id }: Organization): Promise<number> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const webhook = await requireWebhook(store, id);
    await store.deliveries.resumeTarget(NO_PROJECT, organizationTargetHash(id, targetOf(webhook, now)));
    return store.deliveries.retryFailed(aboutAudit(id), now);
  });
}

async function requireWebhook(store: MetadataStore, organizationId: string): Promise<AuditWebhook> {
  const webhook = await store.auditWebhooks.get(organizationId);
  if (!webhook) throw notFound();
  return webhook;
}

/** Without the path of the address, which may be a secret. */
async function record(
  deps: AuditWebhookDeps,
  store: MetadataStore,
  caller: Caller,
  webhook: AuditWebhook,
  activity: string,
  field: string | null,
): Promise<void> {
  const name = shortTarget(targetOf(webhook, webhook.updatedAt));
  await recordActivity(deps, store, {
    organizationId: webhook.organizationId,
    projectId: null,
    userId: caller.user.id,
    activity,
    scope: 'AuditWebhook',
    itemId: webhook.organizationId,
    name,
    changes: field === null ? null : [{ type: 'AuditWebhook', action: 'changed', field, before: null, after: null }],
  });
}
