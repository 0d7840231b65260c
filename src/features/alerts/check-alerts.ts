/**
 * Checks alerts when their slots are over. What was found, the new state and the messages are one transaction, which
 * does nothing if another process was faster or somebody has changed the alert meanwhile: so there is one check and one
 * message for each slot, through crashes and changes of the leader.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { historyStart, judge, QUIET } from '../../core/alerts/judge.ts';
import { countSlots, lastWholeSlot, type Slot, slotAfter, slotAt, slotUnit } from '../../core/alerts/slots.ts';
import { Failure } from '../../core/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { inTurn } from '../../lib/in-turn.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import type { Logger } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { type Schedule, startPolling } from '../../lib/schedule.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import { shortTarget } from '../deliveries/rules/delivery-target.ts';
import { type AlertMessageType, alertMessage } from './alert-message.ts';
import type { AlertMetrics } from './alert-metrics.ts';
import { alertUrl, subjectName } from './alert-subject.ts';
import { targetsOf } from './alert-targets.ts';
import { GRACE_MS } from './alerts.ts';
import { type MeasureDeps, type MeasuredAlert, measureLastSlot } from './measure/measure-alert.ts';
import { SharedAnswers } from './measure/shared-answers.ts';
import { needsInsight, ruleOf } from './rules/alert-definition.ts';
import { Pauses } from './rules/pauses.ts';
import type { Alert, AlertCheck } from './store/alert-store.ts';
import { UnsubscribeLinks } from './unsubscribe.ts';

interface CheckDeps extends MeasureDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: AlertMetrics;
  publicUrl: string | null;
}

const MAX_CONCURRENT = 2;
/** After which the next one is checked meanwhile. */
const SLOW_MS = SECOND_MS;
/** After the end of a slot: then its events are not waited for any longer. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
/** Failures in a row before somebody is told. */
const MAX_ERRORS = 3;
const KEPT_CHECKS_MS = 90 * DAY_MS;
/** How often the slot that is not over is checked. */
const ONGOING_INTERVAL_MS = 5 * MINUTE_MS;

export class AlertChecks implements LeaderTask {
  readonly #deps: CheckDeps;
  readonly #links: UnsubscribeLinks;
  readonly #stopping = new AbortController();
  #schedule: Schedule | null = null;
  #lastCleaning = Number.NEGATIVE_INFINITY;
  #lastOngoing = Number.NEGATIVE_INFINITY;

  constructor(deps: CheckDeps) {
    this.#deps = deps;
    this.#links = new UnsubscribeLinks(deps, deps.publicUrl);
  }

  start(): void {
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: SECOND_MS,
      run: () => this.check(),
      onError: (err) => this.#deps.logger.error({ err }, 'alerts could not be read'),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Failure('unavailable', 'The server is stopping.'));
    await this.#schedule?.stop();
  }

  /** Checks everything that is due, after the current run: what that one has read may be outdated. */
  readonly check = inTurn(() => this.#checkAll());

  async #checkAll(): Promise<void> {
    const { metadata, clock } = this.#deps;
    const now = clock.now();
    if (Math.abs(now - this.#lastCleaning) > HOUR_MS) {
      await metadata.alerts.deleteChecksBefore(now - KEPT_CHECKS_MS);
      this.#lastCleaning = now;
    }
    const due = await metadata.alerts.listDue(now);
    const answers = new SharedAnswers();
    const lagMs = due.length > 0 ? await this.#deps.lagMs() : 0;
    await this.#each(due, (alert) => this.#checkOne(alert, now, lagMs, answers));
    if (Math.abs(now - this.#lastOngoing) < ONGOING_INTERVAL_MS) return;
    this.#lastOngoing = now;
    const ongoing = (await metadata.alerts.listEnabled()).filter(checksOngoing);
    await this.#each(ongoing, (alert) => this.#checkOngoing(alert, now, answers));
  }

  /**
   * One after the other, with pauses: events, flags and people who wait for answers come first. One that takes long does
   * not keep the others waiting.
   */
  async #each(alerts: readonly Alert[], work: (alert: Alert) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    const pauses = new Pauses();
    const running = new Set<Promise<void>>();
    for (const alert of alerts) {
      if (running.size >= MAX_CONCURRENT) await Promise.race(running);
      if (signal.aborted) break;
      const start = performance.now();
      const done = this.#try(alert, work).finally(() => running.delete(done));
      running.add(done);
      await resolvesWithin(SLOW_MS, done);
      const pauseMs = pauses.after(performance.now() - start);
      if (alert !== alerts.at(-1)) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(running);
  }

  /** One that cannot be checked must not keep others from being checked; it is tried again. */
  async #try(alert: Alert, work: (alert: Alert) => Promise<void>): Promise<void> {
    const { id, projectId } = alert;
    try {
      await work(alert);
    } catch (err) {
      this.#deps.logger.error({ err, project: projectId, alert: id }, 'an alert was not checked');
    }
  }

  async #checkOne(alert: Alert, now: number, lagMs: number, answers: SharedAnswers): Promise<void> {
    const project = await this.#deps.metadata.projects.get(alert.projectId);
    if (!project) return;
    const { timezone } = project;
    const { interval, skipWeekend } = alert.definition;
    const unit = slotUnit(interval);
    // After a standstill only the newest slot: nobody is helped by an alert of yesterday.
    const newest = lastWholeSlot(now - GRACE_MS, unit, timezone, skipWeekend);
    const next = slotAt(alert.nextSlot, unit, timezone);
    const slot = newest.start > next.start ? newest : next;
    const isProcessed = lagMs === 0 || now - lagMs > slot.end;
    if (!isProcessed && now < slot.end + MAX_WAIT_MS) return;
    const missed = slot === next ? 0 : countSlots(next, slot, unit, timezone, skipWeekend);
    await this.#judgeSlot(alert, project, slot, { late: !isProcessed, missed, answers, isOngoing: false });
  }

  /** Only whether it is already above its bound: then nobody waits for the end of the slot. */
  async #checkOngoing(alert: Alert, now: number, answers: SharedAnswers): Promise<void> {
    const project = await this.#deps.metadata.projects.get(alert.projectId);
    const slot = project && slotAt(now, slotUnit(alert.definition.interval), project.timezone);
    if (!project || !slot || slot.start !== alert.nextSlot) return;
    await this.#judgeSlot(alert, project, slot, { late: false, missed: 0, answers, isOngoing: true });
  }

  async #judgeSlot(alert: Alert, project: Project, slot: Slot, options: CheckOptions): Promise<void> {
    const { metrics } = this.#deps;
    const stopTimer = metrics.startEvaluation();
    try {
      const measured = await this.#measure(alert, project, slot, options.answers);
      const index = measured.history.slots.length - 1;
      const verdict = judge(ruleOf(alert.definition), measured, index, alert.progress.judge);
      if (options.isOngoing && !isAbove(verdict)) return;
      await this.#save(alert, project, slot, options, {
        ...verdict,
        notes: measured.notes,
        warnings: measured.warnings,
        error: null,
      });
    } catch (error) {
      if (options.isOngoing || !(error instanceof Failure) || error.kind === 'unavailable') throw error;
      await this.#save(alert, project, slot, options, failed(alert, error.message));
    } finally {
      stopTimer();
    }
  }

  async #measure(alert: Alert, project: Project, slot: Slot, answers: SharedAnswers): Promise<MeasuredAlert> {
    const { definition } = alert;
    const unit = slotUnit(definition.interval);
    const previous = slotAt(slot.start - 1, unit, project.timezone);
    const first = historyStart(ruleOf(definition), slot.start, previous.start);
    const from = slotAt(first, unit, project.timezone).start;
    const range = { from, until: slot.end, signal: this.#stopping.signal, answers };
    return measureLastSlot(this.#deps, { project, definition, ...(await this.#question(alert)), ...range });
  }

  async #question({ projectId, insightId, definition }: Alert) {
    if (!needsInsight(definition)) return { filters: {}, query: null };
    const insight = insightId === null ? null : await this.#deps.metadata.insights.get(projectId, insightId);
    if (!insight || insight.deleted) throw new Failure('not_found', 'The insight was deleted.');
    return { filters: insight.filters, query: insight.query };
  }

  async #save(seen: Alert, project: Project, slot: Slot, options: CheckOptions, found: FoundState): Promise<void> {
    const { metadata, clock, metrics } = this.#deps;
    const now = clock.now();
    const unit = slotUnit(seen.definition.interval);
    const next = slotAfter(slot, unit, project.timezone, seen.definition.skipWeekend);
    await this.#links.prepare();
    await metadata.transaction(async (store) => {
      const alert = await store.alerts.get(seen.projectId, seen.id);
      if (!alert?.enabled || alert.nextSlot !== seen.nextSlot || alert.revision !== seen.revision) return;
      const isSnoozed = alert.snoozedUntil !== null && alert.snoozedUntil > now;
      const type = isSnoozed ? null : messageType(alert, found);
      const state = stateOf(alert, found);
      const targets = type === null ? [] : await targetsOf(store, project, alert, this.#links, now);
      const isNew = await store.alerts.createCheck({
        projectId: alert.projectId,
        alertId: alert.id,
        slot: slot.start,
        createdAt: now,
        details: detailsOf(found, isSnoozed ? 'Snoozed' : state, options, targets.map(shortTarget)),
      });
      await store.alerts.update({
        ...alert,
        state,
        progress: {
          // A firing that nobody was told of clears without a word.
          judge: isSnoozed && found.event === 'fired' ? { ...found.state, toldAt: null } : found.state,
          errors: found.error === null ? 0 : alert.progress.errors + 1,
          lastValue: found.error === null ? found.value : alert.progress.lastValue,
        },
        nextSlot: next.start,
        nextCheckAt: next.end + GRACE_MS,
        lastCheckedAt: now,
        lastNotifiedAt: targets.length > 0 && isNew ? now : alert.lastNotifiedAt,
      });
      if (type === null || !isNew) return;
      const message = alertMessage({
        ...found,
        type,
        alert,
        projectName: project.name,
        subject: await subjectName(store, alert),
        slot,
        reason: found.error,
        url: alertUrl(this.#deps.publicUrl, alert),
        now,
      });
      const about = { projectId: project.id, kind: 'alert', subjectId: alert.id, ownerId: alert.createdBy } as const;
      await makeDeliveries(store, { ...about, slot: slot.start, message, targets, now });
    });
    metrics.missed(options.missed);
  }
}

interface CheckOptions {
  late: boolean;
  missed: number;
  answers: SharedAnswers;
  isOngoing: boolean;
}

interface FoundState extends Omit<ReturnType<typeof judge>, 'reason'> {
  reason: string | null;
  notes: readonly string[];
  warnings: readonly string[];
  error: string | null;
}

const failed = ({ progress }: Alert, error: string): FoundState => ({
  value: null,
  label: null,
  bounds: null,
  isOutside: false,
  event: null,
  reason: error,
  since: null,
  state: progress.judge ?? QUIET,
  notes: [],
  warnings: [],
  error,
});

const checksOngoing = ({ definition: { config } }: Alert): boolean =>
  config.type === 'TrendsAlertConfig' && config.checkOngoing;

const isAbove = ({ isOutside, value, bounds }: ReturnType<typeof judge>): boolean =>
  isOutside && value !== null && bounds !== null && bounds.upper !== null && value > bounds.upper;

function stateOf(alert: Alert, { error, state }: FoundState): Alert['state'] {
  if (error !== null) return alert.progress.errors + 1 >= MAX_ERRORS ? 'Errored' : alert.state;
  return state.isFiring ? 'Firing' : 'Not firing';
}

/** Null: there is nothing to say. */
function messageType({ progress }: Alert, { error, event }: FoundState): AlertMessageType | null {
  if (error !== null) return progress.errors + 1 === MAX_ERRORS ? 'alert.errored' : null;
  if (event === 'fired') return 'alert.firing';
  if (event === 'reminded') return 'alert.reminder';
  return event === 'cleared' && progress.judge.toldAt !== null ? 'alert.cleared' : null;
}

const detailsOf = (
  { value, label, bounds, reason }: FoundState,
  state: AlertCheck['details']['state'],
  { late, missed }: CheckOptions,
  targets: string[],
): AlertCheck['details'] => ({ value, label, bounds, state, reason, late, missed, targets });
