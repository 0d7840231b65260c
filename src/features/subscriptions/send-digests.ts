/**
 * Makes digests when they are due. The messages and the next time are one transaction, which does nothing if another
 * process was faster or somebody has changed the digest meanwhile: so there is one message for each slot and recipient,
 * through crashes and changes of the leader.
 */
import { Failure } from '../../core/errors.ts';
import { lastOccurrence, nextOccurrence } from '../../core/schedules/recurrence.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Schedule, startPolling } from '../../lib/schedule.ts';
import { ADMIN, type Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import type { DeliveryTarget } from '../deliveries/rules/delivery-target.ts';
import { type DigestContent, type DigestContentDeps, digestContent } from './digest-content.ts';
import { DigestLinks } from './digest-links.ts';
import { digestMessage, pausedMessage } from './digest-message.ts';
import { digestTargets } from './digest-targets.ts';
import type { Subscription } from './store/subscription-store.ts';

interface SendDigestDeps extends DigestContentDeps {
  clock: Clock;
  ids: Ids;
  logger: Logger;
  publicUrl: string | null;
  /** How long the oldest event that waits has waited. */
  lagMs(): Promise<number>;
}

/** After a standstill: an older digest helps nobody. */
const MAX_LATE_MS = DAY_MS;
/** How long events from before the slot are waited for. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
const USUAL_LAG_MS = MINUTE_MS;
/** Before one that could not be computed is tried again. */
const RETRY_MS = 30 * SECOND_MS;

export class DigestSchedule implements LeaderTask {
  readonly #deps: SendDigestDeps;
  readonly #links: DigestLinks;
  readonly #stopping = new AbortController();
  readonly #retryAt = new Map<number, number>();
  #schedule: Schedule | null = null;

  constructor(deps: SendDigestDeps) {
    this.#deps = deps;
    this.#links = new DigestLinks(deps, deps.publicUrl);
  }

  start(): void {
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: SECOND_MS,
      run: () => this.#sendDue(),
      onError: (err) => this.#deps.logger.error({ err }, 'digests could not be read'),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Failure('unavailable', 'The server is stopping.'));
    await this.#schedule?.stop();
  }

  async #sendDue(): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const now = clock.now();
    const due = await metadata.subscriptions.listDue(now);
    const lagMs = due.length > 0 ? await this.#deps.lagMs() : 0;
    for (const subscription of due) {
      const { id, projectId } = subscription;
      const retryAt = this.#retryAt.get(id) ?? now;
      if (this.#stopping.signal.aborted) return;
      if (retryAt > now && retryAt <= now + RETRY_MS) continue;
      this.#retryAt.delete(id);
      // One that cannot be computed must not keep others from being sent.
      await this.#send(subscription, now, lagMs).catch((err: unknown) => {
        this.#retryAt.set(id, now + RETRY_MS);
        logger.error({ err, project: projectId, digest: id }, 'a digest was not made; trying again');
      });
    }
  }

  async #send(seen: Subscription, now: number, lagMs: number): Promise<void> {
    const { metadata } = this.#deps;
    const project = await metadata.projects.get(seen.projectId);
    if (!project || seen.nextSlot === null) return;
    // After a standstill only the newest.
    const slot = lastOccurrence(seen.recurrence, seen.nextSlot, now, project.timezone) ?? seen.nextSlot;
    if (lagMs > USUAL_LAG_MS && now - lagMs < slot && now < slot + MAX_WAIT_MS) return;
    if (now - slot > MAX_LATE_MS) return this.#save(seen, project, slot, null);
    const reason = await whyNot(metadata, seen, project);
    if (reason !== null) return this.#pause(seen, project, slot, reason);
    try {
      const { publicUrl } = this.#deps;
      const signal = this.#stopping.signal;
      const content = await digestContent(this.#deps, seen, { project, publicUrl, now, signal });
      await this.#save(seen, project, slot, content);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
      await this.#pause(seen, project, slot, error.message);
    }
  }

  /** `content` null: it is too late for this slot. */
  async #save(seen: Subscription, project: Project, slot: number, content: DigestContent | null): Promise<void> {
    const { metadata, clock } = this.#deps;
    const now = clock.now();
    const nextSlot = nextOccurrence(seen.recurrence, Math.max(slot, now), project.timezone);
    await this.#links.prepare();
    await metadata.transaction(async (store) => {
      const subscription = await unchanged(store, seen);
      if (subscription === null) return;
      const lastSlot = content === null ? subscription.lastSlot : slot;
      await store.subscriptions.update({ ...subscription, nextSlot, lastSlot });
      if (content === null) return;
      const { inside, outside } = await digestTargets(store, project, subscription, this.#links, now);
      const told = { subscription, project, content, slot, isTest: false, now };
      const make = (targets: DeliveryTarget[], tiles: DigestContent['tiles']) =>
        makeDeliveries(store, {
          projectId: project.id,
          kind: 'digest',
          subjectId: String(subscription.id),
          ownerId: subscription.createdBy,
          slot,
          message: digestMessage({ ...told, tiles, ...(targets === outside ? { content: withoutUrl(content) } : {}) }),
          targets,
          now,
        });
      await make(inside, content.tiles);
      await make(outside, content.outsideTiles);
    });
  }

  /** Its owner and the admins are told once. */
  async #pause(seen: Subscription, project: Project, slot: number, reason: string): Promise<void> {
    const { metadata, clock, publicUrl } = this.#deps;
    const now = clock.now();
    await metadata.transaction(async (store) => {
      const subscription = await unchanged(store, seen);
      if (subscription === null) return;
      await store.subscriptions.update({ ...subscription, enabled: false, pausedReason: reason });
      const url = publicUrl === null ? null : `${publicUrl}/project/${project.id}/alerts?tab=digests`;
      await makeDeliveries(store, {
        projectId: project.id,
        kind: 'notice',
        subjectId: String(subscription.id),
        ownerId: null,
        slot,
        message: pausedMessage(subscription, project, reason, url, now),
        targets: await adminsOf(store, project, subscription.createdBy),
        now,
      });
    });
  }
}

/** Links lead to where readers outside cannot sign in. */
const withoutUrl = (content: DigestContent): DigestContent => ({ ...content, url: null });

/** Null: it was changed, sent or deleted meanwhile. */
async function unchanged(store: MetadataStore, seen: Subscription): Promise<Subscription | null> {
  const subscription = await store.subscriptions.get(seen.projectId, seen.id);
  if (!subscription?.enabled) return null;
  return subscription.nextSlot === seen.nextSlot && subscription.revision === seen.revision ? subscription : null;
}

/** Content has the rights of whoever has made it, so there has to be somebody. */
async function whyNot(
  store: MetadataStore,
  { createdBy }: Subscription,
  { organizationId }: Project,
): Promise<string | null> {
  const user = createdBy === null ? null : await store.users.get(createdBy);
  const membership = user && (await store.memberships.get(organizationId, user.id));
  return user?.isActive && membership ? null : 'Whoever made it is no longer a member of the organization.';
}

const ALL = { limit: 1000, offset: 0 };

async function adminsOf(store: MetadataStore, project: Project, ownerId: number | null): Promise<DeliveryTarget[]> {
  const { items } = await store.memberships.list(project.organizationId, ALL);
  const ids = items.filter(({ level, userId }) => level >= ADMIN || userId === ownerId).map(({ userId }) => userId);
  const users = await store.users.listByIds(ids);
  return users
    .filter(({ isActive }) => isActive)
    .map(({ id, email }) => ({ type: 'email', userId: id, address: email }) as const);
}
