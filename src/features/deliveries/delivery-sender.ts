/**
 * Sends what is in the outbox. An attempt is on disk before it begins, so two processes never make the same one, and one
 * that died in the middle is noticed when its time is over: webhooks are sent again, with the same id. A mail counts as
 * being sent from when the mail server takes its content; if the process dies then, nobody knows whether it arrived, so it
 * is not sent again, unless the operator prefers two to none.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import type { Mailer } from '../../lib/mailer.ts';
import { type Schedule, startPolling } from '../../lib/schedule.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { postToWebhook } from '../webhooks/post-to-webhook.ts';
import { drawPictures, type Picture } from './draw-pictures.ts';
import { notifyOwner } from './notify-owner.ts';
import { type DeliveryState, NO_PROJECT } from './rules/delivery-kinds.ts';
import { type DeliveryTarget, messageId, shortTarget } from './rules/delivery-target.ts';
import { mailText, signatureHeaders, slackBody, unsubscribeHeaders, webhookBody } from './rules/message.ts';
import { retryDelay } from './rules/retry-delay.ts';
import type { Attempt, Delivery } from './store/delivery-store.ts';

interface DeliverySenderDeps {
  metadata: MetadataStore;
  clock: Clock;
  mailer: Pick<Mailer, 'deliver' | 'isAvailable'>;
  logger: Logger;
  isPrivateAllowed: boolean;
  sendsMailAtLeastOnce: boolean;
}

const POLL_INTERVAL_MS = 500;
const LEASE_MS = MINUTE_MS;
const TIMEOUT_MS = 10 * SECOND_MS;
/** At the same time. */
const MAX_CONCURRENT = 20;
/** To one target, so that a slow one with many messages delays no other. */
const MAX_CONCURRENT_PER_TARGET = 5;
const KEPT_MS = 30 * DAY_MS;

/** What became of one attempt. */
interface Outcome {
  state: DeliveryState;
  status: number | null;
  error: string | null;
  retryAfterMs?: number;
  /** The target does not exist any more. */
  isGone?: boolean;
}

export class DeliverySender implements LeaderTask {
  readonly #deps: DeliverySenderDeps;
  readonly #sending = new Map<number, { targetHash: string; done: Promise<void> }>();
  readonly #stopping = new AbortController();
  #schedule: Schedule | null = null;
  #lastCleaning = Number.NEGATIVE_INFINITY;

  constructor(deps: DeliverySenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'deliveries could not be read; trying again'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
    this.#stopping.abort();
    await Promise.all([...this.#sending.values()].map(({ done }) => done));
  }

  /** Starts to send what is due, without waiting for it. */
  async #step(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const now = clock.now();
    if (now - this.#lastCleaning > HOUR_MS || now < this.#lastCleaning) {
      await metadata.deliveries.deleteBefore(now - KEPT_MS);
      this.#lastCleaning = now;
    }
    const free = MAX_CONCURRENT - this.#sending.size;
    if (free <= 0) return;
    for (const delivery of await metadata.deliveries.listDue(now, free, this.#busyTargets())) {
      if (this.#sending.has(delivery.id) || this.#busyTargets().includes(delivery.targetHash)) continue;
      const done = this.#send(delivery)
        .catch((err: unknown) =>
          this.#deps.logger.error({ err, delivery: delivery.id }, 'a delivery could not be handled; trying again'),
        )
        .finally(() => this.#sending.delete(delivery.id));
      this.#sending.set(delivery.id, { targetHash: delivery.targetHash, done });
    }
  }

  #busyTargets(): string[] {
    const counts = new Map<string, number>();
    for (const { targetHash } of this.#sending.values()) counts.set(targetHash, (counts.get(targetHash) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_CONCURRENT_PER_TARGET).map(([hash]) => hash);
  }

  async #send(delivery: Delivery): Promise<void> {
    const { metadata, clock, sendsMailAtLeastOnce } = this.#deps;
    const began = clock.now();
    // A webhook can be sent twice at any time, a mail only once its content is handed over.
    const state = delivery.target.type === 'email' && delivery.state === 'waiting' ? 'waiting' : 'sending';
    if (!(await metadata.deliveries.claim(delivery, state, began + LEASE_MS))) return;
    const mayHaveBeenSent = delivery.state === 'sending' && delivery.target.type === 'email';
    const start = performance.now();
    const outcome =
      mayHaveBeenSent && !sendsMailAtLeastOnce ? INTERRUPTED : await this.#attempt(delivery, delivery.target, began);
    if (outcome === null) return;
    const { status, error } = outcome;
    const attempt: Attempt = { at: began, ms: Math.round(performance.now() - start), status, error };
    await this.#finish(delivery, outcome, attempt);
  }

  /** Null: it was stopped. Its lease ends, and whoever is the leader then sends it. */
  async #attempt(delivery: Delivery, target: DeliveryTarget, now: number): Promise<Outcome | null> {
    const { metadata } = this.#deps;
    const paused = await metadata.deliveries.pausedReason(delivery.projectId, delivery.targetHash);
    if (paused !== null) return skipped(`the target is paused: ${paused}`);
    if (target.type === 'email') return this.#mail(delivery, target);
    const id = messageId(delivery.key);
    const body = target.type === 'slack_webhook' ? slackBody(delivery.message) : webhookBody(delivery.message);
    const headers = target.type === 'webhook' ? signatureHeaders(id, body, target.secrets, now) : { 'webhook-id': id };
    const outcome = await postToWebhook(target.url, body, {
      timeoutMs: TIMEOUT_MS,
      signal: this.#stopping.signal,
      now,
      isPrivateAllowed: this.#deps.isPrivateAllowed,
      headers,
    });
    if (outcome.kind === 'delivered') return { state: 'sent', status: 200, error: null };
    if (this.#stopping.signal.aborted) return null;
    const { why: error, status } = outcome;
    if (outcome.kind === 'failed') return { state: 'waiting', status, error, retryAfterMs: outcome.retryAfterMs };
    return { state: 'failed', status, error, isGone: status === 404 || status === 410 };
  }

  /** A mail leaves only for members, and for addresses that the admins of the organization allowed. */
  async #mail(delivery: Delivery, target: Extract<DeliveryTarget, { type: 'email' }>): Promise<Outcome> {
    const { userId, address, unsubscribeUrl = null } = target;
    const { metadata, mailer, clock } = this.#deps;
    if (!mailer.isAvailable) return skipped('there is no mail server: set SMTP_URL');
    if (userId !== null && !(await isMember(metadata, delivery, userId, address)))
      return skipped('the address is no longer one of a member');
    const id = messageId(delivery.key);
    const pictures = await this.#pictures(delivery, id);
    const cids = new Map([...pictures].map(([i, { cid }]) => [i, cid]));
    const mail = {
      to: address,
      ...mailText(delivery.message, unsubscribeUrl, cids),
      pictures: [...pictures.values()],
      messageId: `<${id}@cairn>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribeUrl) },
    };
    const outcome = await mailer.deliver(mail, async () => {
      const isMine = await metadata.deliveries.markSending(delivery.id, delivery.attempt + 1, clock.now() + LEASE_MS);
      if (!isMine) throw new Error('another process has taken over');
    });
    switch (outcome.kind) {
      case 'sent':
        return { state: 'sent', status: 250, error: null };
      case 'failed':
        return { state: 'waiting', status: outcome.status, error: outcome.why };
      case 'refused':
        return { state: 'failed', status: outcome.status, error: outcome.why };
      case 'unknown':
        return this.#deps.sendsMailAtLeastOnce
          ? { state: 'waiting', status: null, error: outcome.why }
          : { state: 'unknown', status: null, error: outcome.why };
    }
  }

  /** Numbers without pictures are better than no mail. */
  async #pictures({ id, message: { tiles = [] } }: Delivery, name: string): Promise<Map<number, Picture>> {
    try {
      return await drawPictures(tiles, name);
    } catch (err) {
      this.#deps.logger.error({ err, delivery: id }, 'the pictures of a mail could not be drawn');
      return new Map();
    }
  }

  async #finish(delivery: Delivery, outcome: Outcome, attempt: Attempt): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const number = delivery.attempt + 1;
    const delay = outcome.state === 'waiting' ? retryDelay(delivery.key, number, outcome.retryAfterMs ?? 0) : 0;
    const state = delay === null ? 'failed' : outcome.state;
    const now = clock.now();
    const result = { state, attempts: [...delivery.attempts, attempt], dueAt: now + (delay ?? 0) };
    await metadata.transaction(async (store) => {
      if (!(await store.deliveries.finish(delivery.id, number, result))) return;
      if (outcome.isGone) await pauseTarget(store, delivery, outcome.error ?? '', now);
    });
    if (state === 'failed')
      logger.warn({ project: delivery.projectId, delivery: delivery.id, why: attempt.error }, 'a delivery failed');
  }
}

const INTERRUPTED: Outcome = {
  state: 'unknown',
  status: null,
  error: 'the server stopped while it was being sent; it may have arrived',
};

const ABOUT: Partial<Record<Delivery['kind'], keyof typeof SAVE_AGAIN>> = {
  audit: 'audit log',
  experiment: 'experiment',
  digest: 'digest',
};
const SAVE_AGAIN = {
  alert: 'the alert is saved with it again',
  'audit log': 'an admin saves it again on the page of the audit log',
  experiment: 'an alert is saved with it again, or the project has another webhook',
  digest: 'the digest is saved with it again',
};

const skipped = (error: string): Outcome => ({ state: 'skipped', status: null, error });

async function isMember(store: MetadataStore, delivery: Delivery, userId: number, address: string): Promise<boolean> {
  const organizationId = await organizationOf(store, delivery);
  const user = await store.users.get(userId);
  const membership = organizationId === undefined ? null : await store.memberships.get(organizationId, userId);
  return membership !== null && user?.isActive === true && user.email === address;
}

async function organizationOf(
  metadata: MetadataStore,
  { projectId, subjectId }: Delivery,
): Promise<string | undefined> {
  return projectId === NO_PROJECT ? subjectId : (await metadata.projects.get(projectId))?.organizationId;
}

/** Nothing is sent to it until somebody saves it again; its owner is told once. */
async function pauseTarget(store: MetadataStore, delivery: Delivery, why: string, now: number): Promise<void> {
  const { projectId, targetHash, target, ownerId, subjectId, slot } = delivery;
  if ((await store.deliveries.pausedReason(projectId, targetHash)) !== null) return;
  await store.deliveries.pauseTarget(projectId, targetHash, why, now);
  const what = ABOUT[delivery.kind] ?? 'alert';
  await notifyOwner(store, {
    projectId,
    subjectId,
    slot,
    ownerId,
    now,
    message: {
      type: 'target.paused',
      timestamp: now,
      title: `A webhook of ${what === 'digest' ? 'a' : 'an'} ${what} does not exist any more`,
      text: `Nothing is sent to ${shortTarget(target)} until ${SAVE_AGAIN[what]}: ${why}.`,
      facts: [{ name: 'About', value: delivery.message.title }],
      url: delivery.message.url,
      data: { target: shortTarget(target), reason: why },
    },
  });
}
