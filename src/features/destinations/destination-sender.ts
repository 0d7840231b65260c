/**
 * Sends waiting events to their destinations: at least once, in order for each distinct id, each under an id of its own.
 *
 * The first rows of a queue are taken together. When all their events are dealt with, one transaction removes the rows
 * and records what was sent, so after a crash all of them are sent again, under the same ids. Nothing here is waited for
 * by capture or processing, which only add to the queue.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { type Schedule, startPolling } from '../../lib/schedule.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { notifyOwner } from '../deliveries/notify-owner.ts';
import type { Message } from '../deliveries/rules/message.ts';
import type { PostOutcome } from '../webhooks/post-to-webhook.ts';
import { findQueuedEvents } from './find-queued-events.ts';
import { eventBody, type SentEvent, templateValues, webhookId } from './rules/event-values.ts';
import { lanesOf } from './rules/lanes.ts';
import { applyMask, type Mask, maskHash } from './rules/masking.ts';
import type { TemplateValues } from './rules/template.ts';
import { type SendDeps, sendBatch, sendEvent } from './send-events.ts';
import type { Destination, LogLine, QueueRow, SentState } from './store/destination-store.ts';

export interface DestinationSenderDeps extends QueryDeps, SendDeps {
  logger: Logger;
  publicUrl: string | null;
  queryableBefore(): Promise<number>;
  /** Of what waits for one destination. */
  maxQueueBytes?: number;
}

const POLL_INTERVAL_MS = 250;
/** Taken from the queue together. */
const WINDOW_EVENTS = 200;
const MAX_BATCH_EVENTS = 100;
/** Of a window that others join. */
const MAX_WINDOW_ROWS = 500;
const MAX_CONCURRENT_DESTINATIONS = 10;
/** Requests to one destination at the same time. */
const MAX_CONCURRENT_REQUESTS = 4;
const MAX_WAITING_MS = 7 * DAY_MS;
const MAX_QUEUE_BYTES = 1024 ** 3;
const PAUSED_AFTER_MS = DAY_MS;
const FIRST_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = 5 * MINUTE_MS;
/** Attempts for an event that the receiver fails at while it accepts others. */
const MAX_ATTEMPTS = 10;
const KEPT_LOG_MS = 7 * DAY_MS;
const KEPT_COUNTS_MS = 90 * DAY_MS;

/** Events that were taken from the queue, and what has become of them. */
interface Window {
  revision: number;
  rows: readonly number[];
  /** What is left to send, in order. */
  lanes: WaitingEvent[][];
  masks: ReadonlyMap<string, Mask>;
  counts: Map<SentState, number>;
  lines: Omit<LogLine, 'id'>[];
  /** Of events that failed: how often, and how many others had been delivered before the first time. */
  failures: Map<string, { attempts: number; deliveredBefore: number }>;
  delivered: number;
  latest: number;
}

interface WaitingEvent extends SentEvent {
  values: TemplateValues;
}

/** Why the sending of a window stopped. */
interface Stop {
  why: string;
  status: number | null;
  retryAfterMs: number;
  isGone: boolean;
}

export class DestinationSender implements LeaderTask {
  readonly #deps: DestinationSenderDeps;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** Windows that are not finished, for the next attempt. */
  readonly #windows = new Map<string, Window>();
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
      const stop = await this.#send(destination, window);
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
  async #nextWindow(destination: Destination, project: Project): Promise<Window | null> {
    const known = this.#windows.get(destination.id);
    if (known?.revision !== destination.revision) return this.#open(destination, project, null);
    const isStuck = [...known.failures.values()].some(({ attempts }) => attempts >= MAX_ATTEMPTS / 2);
    if (!isStuck || destination.inputs.batch || known.rows.length >= MAX_WINDOW_ROWS) return known;
    return (await this.#open(destination, project, known)) ?? known;
  }

  /** The next events of the queue, behind what is left of `base`. */
  async #open(destination: Destination, project: Project, base: Window | null): Promise<Window | null> {
    const { metadata, queryableBefore } = this.#deps;
    const queued = await metadata.destinations.listQueued(destination.id, WINDOW_EVENTS, base?.rows.at(-1) ?? 0);
    // Asked after the rows were read, so that it holds for all of them.
    const before = queued.length > 0 ? await queryableBefore() : 0;
    const rows = takeWhile(queued, ({ receivedAt }) => receivedAt < before);
    if (rows.length === 0) return null;
    const { events, filtered, missing } = await findQueuedEvents(this.#deps, project, destination.filters, {
      uuids: rows.flatMap(({ uuids }) => uuids),
      firstTimestamp: Math.min(...rows.map((row) => row.firstTimestamp)),
      lastTimestamp: Math.max(...rows.map((row) => row.lastTimestamp)),
    });
    const valued = await this.#withValues(project, events);
    const { sent, masks } = await this.#mask(destination, valued, base?.masks ?? new Map());
    const left = [...(base?.lanes.flat() ?? []), ...sent];
    const window: Window = {
      revision: destination.revision,
      rows: [...(base?.rows ?? []), ...rows.map(({ id }) => id)],
      lanes: destination.inputs.batch ? [left] : lanesOf(left),
      masks,
      counts: base?.counts ?? new Map(),
      lines: [],
      failures: base?.failures ?? new Map(),
      delivered: base?.delivered ?? 0,
      latest: Math.max(...rows.map(({ receivedAt }) => receivedAt)),
    };
    count(window, 'filtered', filtered);
    count(window, 'skipped', missing);
    count(window, 'masked', valued.length - sent.length);
    return window;
  }

  async #withValues(project: Project, events: readonly SentEvent[]): Promise<WaitingEvent[]> {
    if (events.length === 0) return [];
    const { metadata, publicUrl } = this.#deps;
    const uuids = [...new Set(events.map(({ personId }) => personId))];
    const persons = new Map((await metadata.eventPersons.listByUuids(project.id, uuids)).map((one) => [one.uuid, one]));
    const shown = sentProject(project, publicUrl);
    return events.map((event) => ({ ...event, values: templateValues(event, persons.get(event.personId), shown) }));
  }

  async #mask({ id, masking }: Destination, events: readonly WaitingEvent[], before: ReadonlyMap<string, Mask>) {
    const masks = new Map(before);
    if (masking === null || events.length === 0) return { sent: [...events], masks };
    const hashes = events.map(({ values }) => maskHash(masking, values));
    const stored = await this.#deps.metadata.destinations.listMasks(id, [...new Set(hashes)]);
    const known = new Map(stored.map((mask) => [mask.hash, mask]));
    const sent = events.filter((event, i) => {
      const hash = hashes[i] ?? '';
      const { mask, isSent } = applyMask(masking, masks.get(hash) ?? known.get(hash), hash, event.createdAt);
      masks.set(hash, mask);
      return isSent;
    });
    return { sent, masks };
  }

  /** Null: everything was dealt with. */
  async #send(destination: Destination, window: Window): Promise<Stop | null> {
    if (destination.inputs.batch) return this.#sendBatches(destination, window);
    let stop: Stop | null = null;
    const lanes = window.lanes.filter((lane) => lane.length > 0);
    const worker = async (): Promise<void> => {
      for (let lane = lanes.shift(); lane && !this.#stopping.signal.aborted; lane = lanes.shift()) {
        const failed = await this.#sendLane(destination, window, lane);
        stop ??= failed;
        // A receiver that is gone, or that wants to be left alone, is not asked for the rest.
        if (failed && (failed.isGone || failed.retryAfterMs > 0 || failed.status === null)) return;
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
    return stop;
  }

  async #sendLane(destination: Destination, window: Window, lane: WaitingEvent[]): Promise<Stop | null> {
    for (let event = lane[0]; event && !this.#stopping.signal.aborted; event = lane[0]) {
      const began = this.#deps.clock.now();
      const start = performance.now();
      const item = {
        id: webhookId(event.uuid, destination.id),
        body: eventBody(destination.inputs.body, event.values),
      };
      const outcome = await sendEvent(this.#deps, destination, item, { now: began, signal: this.#stopping.signal });
      if (this.#stopping.signal.aborted && outcome.kind !== 'delivered') return null;
      const line = { at: began, eventUuid: event.uuid, event: event.event, events: 1, ms: elapsed(start) };
      const stop = this.#record(window, [event], outcome, line);
      if (stop !== null) return stop;
      lane.shift();
    }
    return null;
  }

  /** One at a time, so that they arrive in order. */
  async #sendBatches(destination: Destination, window: Window): Promise<Stop | null> {
    const waiting = window.lanes[0] ?? [];
    while (waiting.length > 0 && !this.#stopping.signal.aborted) {
      const events = waiting.slice(0, MAX_BATCH_EVENTS);
      const items = events.map(({ uuid, values }) => ({
        id: webhookId(uuid, destination.id),
        body: eventBody(destination.inputs.body, values),
      }));
      const began = this.#deps.clock.now();
      const start = performance.now();
      const at = { now: began, signal: this.#stopping.signal };
      const [only] = items;
      const outcome =
        items.length === 1 && only
          ? await sendEvent(this.#deps, destination, only, at)
          : await sendBatch(this.#deps, destination, items, at);
      if (this.#stopping.signal.aborted && outcome.kind !== 'delivered') return null;
      const first = events[0];
      const line = { at: began, eventUuid: first?.uuid ?? null, event: first?.event ?? null, events: items.length };
      const stop = this.#record(window, events, outcome, { ...line, ms: elapsed(start) });
      if (stop !== null) return stop;
      waiting.splice(0, events.length);
    }
    return null;
  }

  /** Null: the events are dealt with, one way or the other. */
  #record(
    window: Window,
    events: readonly WaitingEvent[],
    outcome: PostOutcome,
    line: Omit<LogLine, 'id' | 'state' | 'status' | 'error'>,
  ): Stop | null {
    const add = (state: SentState, status: number | null, error: string | null): void => {
      count(window, state, events.length);
      window.lines.push({ ...line, state, status, error });
    };
    if (outcome.kind === 'delivered') {
      add('sent', 200, null);
      window.delivered += events.length;
      return null;
    }
    const { why, status } = outcome;
    const retryAfterMs = outcome.kind === 'failed' ? outcome.retryAfterMs : 0;
    const isGone = outcome.kind === 'refused' && (status === null || status === 404 || status === 410);
    if (outcome.kind === 'refused' && !isGone) {
      add('failed', status, why);
      return null;
    }
    const key = events[0]?.uuid ?? '';
    const { delivered } = window;
    const known = window.failures.get(key) ?? { attempts: 0, deliveredBefore: delivered };
    known.attempts++;
    window.failures.set(key, known);
    if (!isGone && known.attempts >= MAX_ATTEMPTS && delivered > known.deliveredBefore) {
      add('failed', status, `${why}, ${known.attempts} times, while other events were accepted`);
      return null;
    }
    add('retried', status, why);
    return { why, status, retryAfterMs, isGone };
  }

  /** False: somebody else has dealt with these events. */
  async #finish(destination: Destination, window: Window): Promise<boolean> {
    const { id, projectId, revision } = destination;
    const isDone = await this.#deps.metadata.transaction(async ({ destinations }) => {
      // Read first: a transaction that did nothing needs no rollback.
      if (!(await destinations.areQueued(window.rows))) return false;
      await destinations.deleteQueued(window.rows);
      await destinations.saveMasks(projectId, id, [...window.masks.values()], window.latest);
      await destinations.record(projectId, id, this.#result(window));
      if (window.delivered > 0 && destination.failures > 0)
        await destinations.setHealth(id, revision, { ...HEALTHY, pausedAt: null });
      return true;
    });
    if (isDone && window.delivered > 0) Object.assign(destination, HEALTHY);
    return isDone;
  }

  #result({ counts, lines }: Window) {
    return { at: this.#deps.clock.now(), counts: Object.fromEntries(counts), lines };
  }

  /** Tries again later; pauses the destination when it has failed for a day, or does not exist any more. */
  async #fail(destination: Destination, project: Project, window: Window, stop: Stop): Promise<void> {
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

const HEALTHY = { failingSince: null, failures: 0, retryAt: null, lastError: null };

const count = ({ counts }: Window, state: SentState, events: number): void => {
  counts.set(state, (counts.get(state) ?? 0) + events);
};

const elapsed = (start: number): number => Math.round(performance.now() - start);

function takeWhile(rows: readonly QueueRow[], isTaken: (row: QueueRow) => boolean): QueueRow[] {
  const end = rows.findIndex((row) => !isTaken(row));
  return end === -1 ? [...rows] : rows.slice(0, end);
}

export const sentProject = ({ id, name }: Project, publicUrl: string | null) => ({
  id,
  name,
  url: publicUrl === null ? null : `${publicUrl}/project/${id}`,
});

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
