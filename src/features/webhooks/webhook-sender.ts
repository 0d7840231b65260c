/**
 * Sends the messages of the outbox to webhooks, at least once: a message is deleted after the webhook has accepted it, and
 * a process that dies in between sends it again.
 *
 * A project's webhook gets the first message at once and then at most one in ten seconds; events that come meanwhile are
 * collected into the next. Failures are retried with growing delays, for a day. Projects do not wait for each other.
 */

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { OutboxMessage } from '../../stores/ingest/outbox.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { type PostOutcome, postToWebhook } from './post-to-webhook.ts';
import { type WebhookFactDeps, webhookFacts } from './webhook-facts.ts';
import { webhookMessage } from './webhook-message.ts';

interface WebhookDeps extends WebhookFactDeps {
  metadata: Pick<MetadataStore, 'outbox' | 'projects' | 'eventPersons'>;
  logger: Logger;
  isPrivateAllowed: boolean;
}

/** Between two messages of a project. */
const MIN_INTERVAL_MS = 10 * SECOND_MS;
/** After the first failure, doubled with each further one. */
const MIN_RETRY_DELAY_MS = SECOND_MS;
const MAX_RETRY_DELAY_MS = 5 * MINUTE_MS;
const GIVE_UP_AFTER_MS = DAY_MS;
const TIMEOUT_MS = 10 * SECOND_MS;
/** How often the clock is checked while a message has to wait. */
const POLL_INTERVAL_MS = 250;
/** Requests at the same time. */
const MAX_CONCURRENT = 20;
/** Event names in one message; the others come with the next. */
const MAX_LINES = 20;

/** Starts again when the URL changes. */
interface WebhookState {
  url: string;
  failures: number;
  notBefore: number;
}

export class WebhookSender implements LeaderTask {
  readonly #deps: WebhookDeps;
  readonly #states = new Map<number, WebhookState>();
  readonly #sending = new Map<number, Promise<void>>();
  readonly #stopping = new AbortController();
  #loop: Loop | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= startLoop({
      step: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'webhooks could not be sent; trying again'),
    });
  }

  /** There may be messages in the outbox. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Running requests are aborted; their messages stay in the outbox. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#loop?.stop();
    await Promise.all(this.#sending.values());
  }

  /** Starts to send to every webhook that is due, without waiting for any. */
  async #step(): Promise<boolean> {
    const waiting = await this.#deps.metadata.outbox.listProjects();
    for (const id of this.#states.keys()) if (!waiting.includes(id)) this.#forgetIdle(id);
    let isEarly = false;
    for (const id of waiting.filter((one) => !this.#sending.has(one))) {
      if (this.#sending.size >= MAX_CONCURRENT) break;
      isEarly = !(await this.#start(id)) || isEarly;
    }
    if (isEarly) this.#wakeLater();
    return false;
  }

  /** Without messages, the state of a webhook is dropped once its delay is over. */
  #forgetIdle(projectId: number): void {
    if ((this.#states.get(projectId)?.notBefore ?? 0) <= this.#deps.clock.now()) this.#states.delete(projectId);
  }

  #wakeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.wake();
    }, POLL_INTERVAL_MS).unref();
  }

  /** False when it is too early. */
  async #start(projectId: number): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const project = await metadata.projects.get(projectId);
    const url = project?.slackIncomingWebhook ?? null;
    if (!project || url === null) {
      await metadata.outbox.delete(projectId);
      return true;
    }
    const state = this.#stateOf(projectId, url);
    if (clock.now() < state.notBefore) return false;
    const sending = this.#send(project, state)
      .catch((err: unknown) => this.#failed(project, state, { why: String(err), retryAfterMs: 0 }))
      .finally(() => {
        this.#sending.delete(projectId);
        this.wake();
      });
    this.#sending.set(projectId, sending);
    return true;
  }

  #stateOf(projectId: number, url: string): WebhookState {
    const known = this.#states.get(projectId);
    if (known?.url === url) return known;
    const state = { url, failures: 0, notBefore: 0 };
    this.#states.set(projectId, state);
    return state;
  }

  async #send(project: Project, state: WebhookState): Promise<void> {
    const { metadata, clock } = this.#deps;
    const waiting = (await metadata.outbox.listByProject(project.id)).slice(0, MAX_LINES);
    if (waiting.length === 0) return;
    const text = webhookMessage(project.name, await webhookFacts(this.#deps, project.id, waiting));
    const outcome = await postToWebhook(state.url, JSON.stringify({ text }), {
      timeoutMs: TIMEOUT_MS,
      signal: this.#stopping.signal,
      now: clock.now(),
      isPrivateAllowed: this.#deps.isPrivateAllowed,
    });
    if (this.#stopping.signal.aborted && outcome.kind !== 'delivered') return;
    await this.#finish(project, state, waiting, outcome);
  }

  async #finish(
    project: Project,
    state: WebhookState,
    sent: readonly OutboxMessage[],
    outcome: PostOutcome,
  ): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const now = clock.now();
    if (outcome.kind === 'failed') {
      this.#failed(project, state, outcome);
      const old = sent.filter(({ waitingSince }) => waitingSince <= now - GIVE_UP_AFTER_MS);
      if (old.length > 0)
        logger.warn(about(project, outcome.why), 'gave up sending a webhook message that is a day old');
      return metadata.outbox.markSent(project.id, old, now);
    }
    if (outcome.kind === 'refused') {
      logger.warn(about(project, outcome.why), 'a webhook refused a message; it is not sent again');
    }
    state.failures = 0;
    state.notBefore = now + MIN_INTERVAL_MS;
    await metadata.outbox.markSent(project.id, sent, now);
  }

  #failed(project: Project, state: WebhookState, { why, retryAfterMs }: { why: string; retryAfterMs: number }): void {
    const pauseMs = Math.max(retryAfterMs, Math.min(MIN_RETRY_DELAY_MS * 2 ** state.failures, MAX_RETRY_DELAY_MS));
    state.failures += 1;
    state.notBefore = this.#deps.clock.now() + pauseMs;
    const level = state.failures === 1 ? 'warn' : 'debug';
    this.#deps.logger[level](
      { ...about(project, why), pauseMs },
      'a webhook message could not be delivered; trying again',
    );
  }
}

const about = (project: Project, why: string) => ({ project: project.id, why });
