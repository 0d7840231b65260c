/**
 * Sends waiting events to their destinations: at least once, in order for each distinct id, each under an id of its own.
 *
 * The first rows of a queue are taken together. When all their events are dealt with, one transaction removes the rows
 * and records what was sent, so after a crash all of them are sent again, under the same ids. Nothing here is waited for
 * by capture or processing, which only add to the queue.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/time/units.ts';
import type { LeaderTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Schedule, startPolling } from '../../../lib/schedule.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { notifyOwner } from '../../deliveries/notify-owner.ts';
import type { Message } from '../../deliveries/rules/message.ts';
import { sentProject } from '../rules/event-values.ts';
import { type Destination, HEALTHY } from '../store/destination-store.ts';
import { openWindow, type WindowDeps } from './open-window.ts';
import type { QueueWindow } from './queue-window.ts';
import type { SendDeps } from './send-events.ts';
import { MAX_ATTEMPTS, type Stop, sendWindow } from './send-window.ts';

export interface DestinationSenderDeps extends WindowDeps, SendDeps {
  logger: Logger;
  /** Of what waits for one destination. */
  maxQueueBytes?: number;
}

const POLL_INTERVAL_MS = 250;
/** Of a window that others join. */
const MAX_WINDOW_ROWS = 500;
const MAX_CONCURRENT_DESTINATIONS = 10;
const MAX_WAITING_MS = 7 * DAY_MS;
const MAX_QUEUE_BYTES = 1024 ** 3;
const PAUSED_AFTER_MS = DAY_MS;
const FIRST_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 5 * MINUTE_MS;
const KEPT_LOG_MS = 7 * DAY_MS;
const KEPT_COUNTS_MS = 90 * DAY_MS;

export class DestinationSender implements LeaderTask {
  readonly #deps: DestinationSenderDeps;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Windows that are not finished, for the next attempt. */
  readonly #windows = new Map<string, QueueWindow>();
  #schedule: Schedule | null = null;
  #lastCleaning = Number.NEGATIVE_INFINITY;

  constructor(deps: DestinationSenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'destinations could not be read; trying again'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  /** Starts to send, without waiting for it. */
  async #step(): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const now = clock.now();
    if (Math.abs(now - this.#lastCleaning) > MINUTE_MS) {
      await this.#skipOverdue(now);
      await metadata.destinations.deleteLogBefore(now - KEPT_LOG_MS, now - KEPT_COUNTS_MS);
      this.#lastCleaning = now;
    }
    for (const destination of await metadata.destinations.listDue(now)) {
      const { id } = destination;
      if (this.#running.has(id) || this.#running.size >= MAX_CONCURRENT_DESTINATIONS) continue;
      const done = this.#work(destination)
        .catch((err: unknown) => {
          this.#windows.delete(id);
          logger.error({ err, destination: id }, 'events could not be sent to a destination; trying again');
        })
        .finally(() => this.#running.delete(id));
      this.#running.set(id, done);
    }
  }

  /** Nothing waits longer than 7 days, nor takes more than its share of the disk; what is left out is counted. */
  async #skipOverdue(now: number): Promise<void> {
    const { metadata, logger, maxQueueBytes = MAX_QUEUE_BYTES } = this.#deps;
    for (const { id, projectId } of await metadata.destinations.listWaiting()) {
      const skipped = await metadata.transaction(async ({ destinations }) => {
        const events = await destinations.deleteOverdue(id, now - MAX_WAITING_MS, maxQueueBytes);
        if (events === 0) return 0;
        const error = `waited longer than 7 days, or too many waited`;
        const line = { at: now, state: 'skipped', eventUuid: null, event: null, events, status: null, ms: 0 } as const;
        await destinations.record(projectId, id, { at: now, counts: { skipped: events }, lines: [{ ...line, error }] });
        return events;
      });
      if (skipped === 0) continue;
      this.#windows.delete(id);
      logger.warn({ project: projectId, destination: id, events: skipped }, 'events for a destination were skipped');
    }
  }

  /** One window after the other, until nothing waits or something fails. */
  async #work(destination: Destination): Promise<void> {
    const project = await this.#deps.metadata.projects.get(destination.projectId);
    if (!project) return;
    while (!this.#stopping.signal.aborted) {
      const window = await this.#nextWindow(destination, project);
      if (window === null) return;
      this.#windows.set(destination.id, window);
      const stop = await sendWindow(this.#deps, destination, window, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      if (stop !== null) {
        await this.#fail(destination, project, window, stop);
        return;
      }
      this.#windows.delete(destination.id);
      if (!(await this.#finish(destination, window))) return;
      // Changed, disabled or deleted meanwhile: the next step reads it again.
      const current = await this.#deps.metadata.destinations.get(destination.projectId, destination.id);
      if (current?.revision !== destination.revision) return;
    }
  }

  /**
   * What is left of the window before, unless its events have to be looked at again. Where an event fails again and
   * again, others join it: whether the receiver takes those tells whose fault it is.
   */
  async #nextWindow(destination: Destination, project: Project): Promise<QueueWindow | null> {
    const known = this.#windows.get(destination.id);
    if (known?.revision !== destination.revision) return openWindow(this.#deps, destination, project, null);
    const isStuck = [...known.failures.values()].some(({ attempts }) => attempts >= MAX_ATTEMPTS / 2);
    if (!isStuck || destination.inputs.batch || known.rows.length >= MAX_WINDOW_ROWS) return known;
    return (await openWindow(this.#deps, destination, project, known)) ?? known;
  }

  /** False: somebody else has dealt with these events. */
  async #finish(destination: Destination, window: QueueWindow): Promise<boolean> {
    const { id, projectId, revision } = destination;
    const isDone = await this.#deps.metadata.transaction(async ({ destinations }) => {
      // Read first: a transaction that did nothing needs no rollback.
      if (!(await destinations.areQueued(window.rows))) return false;
      await destinations.deleteQueued(window.rows);
      await destinations.saveMasks(projectId, id, [...window.masks.values()], window.latest);
      await destinations.record(projectId, id, this.#result(window));
      if (window.delivered > 0 && destination.failures > 0) await destinations.setHealth(id, revision, HEALTHY);
      return true;
    });
    if (isDone && window.delivered > 0) Object.assign(destination, HEALTHY);
    return isDone;
  }

  #result({ counts, lines }: QueueWindow) {
    return { at: this.#deps.clock.now(), counts: Object.fromEntries(counts), lines };
  }

  /** Tries again later; pauses the destination when it has failed for a day, or does not exist any more. */
  async #fail(destination: Destination, project: Project, window: QueueWindow, stop: Stop): Promise<void> {
    const { metadata, clock, logger } = this.#deps;
    const now = clock.now();
    const { id, projectId, revision } = destination;
    const hasSent = window.lines.some(({ state }) => state === 'sent');
    const failures = hasSent ? 1 : destination.failures + 1;
    const failingSince = hasSent ? now : (destination.failingSince ?? now);
    const delay = Math.max(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS), stop.retryAfterMs);
    const isPaused = stop.isGone || now - failingSince >= PAUSED_AFTER_MS;
    const result = this.#result(window);
    await metadata.transaction(async (store) => {
      // The counts of what is not sent yet are recorded with the window.
      const { sent = 0, failed = 0, retried = 0 } = result.counts;
      await store.destinations.record(projectId, id, { ...result, counts: { sent, failed, retried } });
      const health = { failingSince, failures, retryAt: now + delay, lastError: stop.why };
      const isSame = await store.destinations.setHealth(id, revision, { ...health, pausedAt: isPaused ? now : null });
      if (!isSame || !isPaused) return;
      await notifyOwner(store, {
        projectId,
        subjectId: id,
        // One message for each time that it was saved or resumed.
        slot: revision,
        ownerId: destination.createdBy,
        message: pausedMessage(destination, project, { why: stop.why, now, publicUrl: this.#deps.publicUrl }),
        now,
      });
    });
    for (const state of ['sent', 'failed', 'retried'] as const) window.counts.delete(state);
    window.lines.length = 0;
    if (isPaused) logger.warn({ project: projectId, destination: id, why: stop.why }, 'a destination was paused');
  }
}

const pausedMessage = (
  { id, name }: Destination,
  project: Project,
  { why, now, publicUrl }: { why: string; now: number; publicUrl: string | null },
): Message => ({
  type: 'target.paused',
  timestamp: now,
  title: `The destination "${name}" is paused`,
  text: `Nothing is sent until it is resumed; events wait for it for 7 days. The reason: ${why}.`,
  facts: [{ name: 'Project', value: project.name }],
  url: sentProject(project, publicUrl).url,
  data: { destination: id, reason: why },
});
