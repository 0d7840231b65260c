/**
 * Tells webhooks what waits for them in the outbox. Each message is told at least once: it is removed when the other
 * side has taken it, and a process that ends between the two tells it again.
 *
 * A project's webhook hears the first message at once and then at most one in ten seconds; whatever comes meanwhile is
 * gathered into the next. One that fails is tried again, later each time, and one that hangs keeps nobody else waiting:
 * every project has its own turn. What could not be told within a day is given up.
 */
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { OutboxMessage } from '../../stores/ingest/outbox.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { type WebhookFactDeps, webhookFacts } from './webhook-facts.ts';
import { webhookMessage } from './webhook-message.ts';
import { type PostOutcome, postToWebhook } from './webhook-post.ts';

interface WebhookDeps extends WebhookFactDeps {
  metadata: Pick<MetadataStore, 'outbox' | 'projects' | 'eventPersons'>;
  logger: Logger;
  /** Whether webhooks may be in private networks. */
  isPrivateAllowed: boolean;
}

const SECOND_MS = 1000;
/** From one message to the next of the same project. */
const MIN_INTERVAL_MS = 10 * SECOND_MS;
/** The pause after a failure, doubled with each further one. */
const MIN_RETRY_DELAY_MS = SECOND_MS;
const MAX_RETRY_DELAY_MS = 300 * SECOND_MS;
const GIVE_UP_AFTER_MS = 86_400 * SECOND_MS;
const TIMEOUT_MS = 10 * SECOND_MS;
/** While somebody waits for their turn, the clock is looked at this often. */
const POLL_INTERVAL_MS = 250;
/** Requests under way at the same time. */
const MAX_CONCURRENT = 20;
/** A message tells of so many names; the others come with the next. */
const MAX_LINES = 20;

/** How it went with a webhook lately. Another address starts afresh. */
interface WebhookState {
  url: string;
  failures: number;
  notBefore: number;
}

export class WebhookSender implements LeaderTask {
  readonly #deps: WebhookDeps;
  readonly #turns = new Map<number, WebhookState>();
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #stopping = new AbortController();
  #loop: Loop | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= startLoop({
      step: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'webhooks could not be told; trying again'),
    });
  }

  /** Something may wait. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Requests under way are broken off: what they tell stays in the outbox. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#loop?.stop();
    await Promise.all(this.#underWay.values());
  }

  /** Begins with every webhook whose turn has come; none is waited for. */
  async #step(): Promise<boolean> {
    const waiting = await this.#deps.metadata.outbox.listProjects();
    for (const id of this.#turns.keys()) if (!waiting.includes(id)) this.#rest(id);
    let isEarly = false;
    for (const id of waiting.filter((one) => !this.#underWay.has(one))) {
      if (this.#underWay.size >= MAX_CONCURRENT) break;
      isEarly = !(await this.#begin(id)) || isEarly;
    }
    if (isEarly) this.#lookAgain();
    return false;
  }

  /** Nothing waits: what is known of the webhook is forgotten once it says nothing any more. */
  #rest(projectId: number): void {
    if ((this.#turns.get(projectId)?.notBefore ?? 0) <= this.#deps.clock.now()) this.#turns.delete(projectId);
  }

  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.wake();
    }, POLL_INTERVAL_MS).unref();
  }

  /** False when it is too early. */
  async #begin(projectId: number): Promise<boolean> {
    const { metadata, clock } = this.#deps;
    const project = await metadata.projects.get(projectId);
    const url = project?.slackIncomingWebhook ?? null;
    if (!project || url === null) {
      await metadata.outbox.delete(projectId);
      return true;
    }
    const turn = this.#turnOf(projectId, url);
    if (clock.now() < turn.notBefore) return false;
    const telling = this.#tell(project, turn)
      .catch((err: unknown) => this.#failed(project, turn, { why: String(err), retryAfterMs: 0 }))
      .finally(() => {
        this.#underWay.delete(projectId);
        this.wake();
      });
    this.#underWay.set(projectId, telling);
    return true;
  }

  #turnOf(projectId: number, url: string): WebhookState {
    const known = this.#turns.get(projectId);
    if (known?.url === url) return known;
    const fresh = { url, failures: 0, notBefore: 0 };
    this.#turns.set(projectId, fresh);
    return fresh;
  }

  async #tell(project: Project, turn: WebhookState): Promise<void> {
    const { metadata, clock } = this.#deps;
    const waiting = (await metadata.outbox.listByProject(project.id)).slice(0, MAX_LINES);
    if (waiting.length === 0) return;
    const text = webhookMessage(project.name, await webhookFacts(this.#deps, project.id, waiting));
    const outcome = await postToWebhook(turn.url, text, {
      timeoutMs: TIMEOUT_MS,
      signal: this.#stopping.signal,
      now: clock.now(),
      isPrivateAllowed: this.#deps.isPrivateAllowed,
    });
    if (this.#stopping.signal.aborted && outcome.kind !== 'taken') return;
    await this.#settle(project, turn, waiting, outcome);
  }

  async #settle(
    project: Project,
    turn: WebhookState,
    told: readonly OutboxMessage[],
    outcome: PostOutcome,
  ): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const now = clock.now();
    if (outcome.kind === 'failed') {
      this.#failed(project, turn, outcome);
      const old = told.filter(({ waitingSince }) => waitingSince <= now - GIVE_UP_AFTER_MS);
      if (old.length > 0) logger.warn(about(project, outcome.why), 'gave up telling a webhook what is a day old');
      return metadata.outbox.markSent(project.id, old, now);
    }
    if (outcome.kind === 'refused') {
      logger.warn(about(project, outcome.why), 'a webhook refused a message; it is not sent again');
    }
    turn.failures = 0;
    turn.notBefore = now + MIN_INTERVAL_MS;
    await metadata.outbox.markSent(project.id, told, now);
  }

  #failed(project: Project, turn: WebhookState, { why, retryAfterMs }: { why: string; retryAfterMs: number }): void {
    const pauseMs = Math.max(retryAfterMs, Math.min(MIN_RETRY_DELAY_MS * 2 ** turn.failures, MAX_RETRY_DELAY_MS));
    turn.failures += 1;
    turn.notBefore = this.#deps.clock.now() + pauseMs;
    const level = turn.failures === 1 ? 'warn' : 'debug';
    this.#deps.logger[level]({ ...about(project, why), pauseMs }, 'a webhook could not be told; trying again');
  }
}

const about = (project: Project, why: string) => ({ project: project.id, why });
