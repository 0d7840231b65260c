/**
 * Puts entries of the audit log into the outbox of organizations that want them. The number of the last one is written in
 * the same transaction, so none is left out and none is sent under two ids, wherever the process dies.
 */
import type { JsonObject } from '../../core/json/json.ts';
import { SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Schedule, startPolling } from '../../lib/schedule.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import { NO_PROJECT } from '../deliveries/rules/delivery-kinds.ts';
import type { DeliveryTarget } from '../deliveries/rules/delivery-target.ts';
import { validSecrets } from '../deliveries/webhook-address.ts';
import { presentAuditEntry } from './present-entry.ts';
import type { AuditWebhook } from './store/audit-webhook-store.ts';

const POLL_INTERVAL_MS = SECOND_MS;
/**
 * While as many wait, the rest stays in the log: while a receiver is away for long, only these can fail, and the log is
 * kept much longer than the outbox.
 */
const MAX_WAITING = 100;

export const aboutAudit = (organizationId: string) =>
  ({ projectId: NO_PROJECT, kind: 'audit', subjectId: organizationId }) as const;

export const targetOf = (webhook: AuditWebhook, now: number): DeliveryTarget => ({
  type: 'webhook',
  url: webhook.url,
  secrets: validSecrets(webhook, now),
});

/** In a transaction only. How many. */
export async function forwardEntries(
  store: MetadataStore,
  webhook: AuditWebhook,
  now: number,
  limit: number,
): Promise<number> {
  const { organizationId, lastNumber, createdBy } = webhook;
  const entries = await store.audit.listAfter(organizationId, lastNumber, limit);
  const userIds = new Set(entries.flatMap(({ userId }) => (userId === null ? [] : [userId])));
  const users = new Map((await store.users.listByIds([...userIds])).map((user) => [user.id, user]));
  for (const entry of entries) {
    await makeDeliveries(store, {
      ...aboutAudit(organizationId),
      ownerId: createdBy,
      slot: entry.number,
      now,
      targets: [targetOf(webhook, now)],
      message: {
        type: 'audit',
        timestamp: entry.createdAt,
        title: `Entry ${entry.number}: ${entry.scope} ${entry.activity.replaceAll('_', ' ')}`,
        text: '',
        facts: [],
        url: null,
        data: { organization_id: organizationId, ...presentAuditEntry(entry, users) } as unknown as JsonObject,
      },
    });
  }
  const last = entries.at(-1);
  if (last) await store.auditWebhooks.setLastNumber(organizationId, last.number);
  return entries.length;
}

interface AuditForwarderDeps {
  metadata: MetadataStore;
  clock: Clock;
  logger: Logger;
}

export class AuditForwarder implements LeaderTask {
  readonly #deps: AuditForwarderDeps;
  #schedule: Schedule | null = null;

  constructor(deps: AuditForwarderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'the audit log could not be sent; trying again'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
  }

  async #step(): Promise<void> {
    const { metadata } = this.#deps;
    for (const { organizationId, lastNumber } of await metadata.auditWebhooks.list()) {
      if ((await metadata.audit.listAfter(organizationId, lastNumber, 1)).length > 0)
        await this.#forward(organizationId);
      else if (!(await metadata.organizations.get(organizationId))) await metadata.auditWebhooks.delete(organizationId);
    }
  }

  async #forward(organizationId: string): Promise<void> {
    const { metadata, clock } = this.#deps;
    await metadata.transaction(async (store) => {
      const webhook = await store.auditWebhooks.get(organizationId);
      if (!webhook) return;
      const { waiting = 0, sending = 0 } = await store.deliveries.countStates(aboutAudit(organizationId));
      const free = MAX_WAITING - waiting - sending;
      if (free > 0) await forwardEntries(store, webhook, clock.now(), free);
    });
  }
}
