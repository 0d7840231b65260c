/**
 * Starts the runs of all exports when their time has come: one of an export after the other, some exports at once. A
 * scheduled run takes its interval in one transaction with the point from which on events are late (`claim`), so every
 * event is in one file. Nothing here is waited for by capture or processing.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time/units.ts';
import type { LeaderTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Schedule, startPolling } from '../../../lib/schedule.ts';
import type { SecretKey } from '../../../lib/secret-key.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { notifyOwner } from '../../deliveries/notify-owner.ts';
import type { Message } from '../../deliveries/rules/message.ts';
import { intervalEnd } from '../rules/export-interval.ts';
import { runAgain } from '../rules/run-again.ts';
import type { BatchExport, ExportBackfill, ExportRun } from '../store/batch-export-store.ts';
import { ExportFailure } from '../targets/export-target.ts';
import { openTarget, type TargetSettings } from '../targets/open-target.ts';
import { type ExecuteDeps, executeRun } from './execute-run.ts';

export interface BatchExportRunnerDeps extends ExecuteDeps {
  secretKey(): SecretKey | null;
  logger: Logger;
  settings: TargetSettings;
  /** Everything that was accepted before then is stored and can be queried. */
  processedBefore(): Promise<number>;
  /** Resolves when everything accepted so far is processed; false: that takes long. */
  whenProcessed(): Promise<boolean>;
  /** By how much the clocks of the nodes may differ. */
  clockSkewMs: number;
}

const POLL_INTERVAL_MS = 500;
const MAX_CONCURRENT_EXPORTS = 4;
const VISIBLE_POLL_MS = 200;
const FIRST_RETRY_MS = 30 * SECOND_MS;
const MAX_RETRY_MS = HOUR_MS;
const PAUSED_AFTER_MS = DAY_MS;
const MAX_VISIBLE_WAIT_MS = 2 * MINUTE_MS;

/** What there may be to do. */
interface Work {
  exports: readonly BatchExport[];
  runs: readonly ExportRun[];
  backfills: readonly ExportBackfill[];
}

export class BatchExportRunner implements LeaderTask {
  readonly #deps: BatchExportRunnerDeps;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  #schedule: Schedule | null = null;

  constructor(deps: BatchExportRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    // What a killed process has left.
    rmSync(this.#deps.workFolder, { recursive: true, force: true });
    this.#schedule ??= startPolling({
      clock: this.#deps.clock,
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#step(),
      onError: (err) => this.#deps.logger.error({ err }, 'exports could not be read; trying again'),
    });
  }

  async stop(): Promise<void> {
    await this.#schedule?.stop();
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  /** Starts what is due, without waiting for it. */
  async #step(): Promise<void> {
    const { batchExports } = this.#deps.metadata;
    const exports = await batchExports.listActive();
    if (exports.length === 0) return;
    const [runs, backfills] = [await batchExports.listUnfinishedRuns(), await batchExports.listUnfinishedBackfills()];
    for (const one of exports) {
      if (this.#running.size >= MAX_CONCURRENT_EXPORTS) return;
      if (this.#running.has(one.id) || !this.#mayHaveWork(one, { exports, runs, backfills })) continue;
      const done = this.#work(one)
        .catch((err: unknown) => {
          this.#deps.logger.error({ err, batchExport: one.id }, 'an export could not be run; trying again');
        })
        .finally(() => this.#running.delete(one.id));
      this.#running.set(one.id, done);
    }
  }

  #mayHaveWork(one: BatchExport, { runs, backfills }: Work): boolean {
    const now = this.#deps.clock.now();
    const own = runs.filter(({ exportId }) => exportId === one.id);
    // A run that failed is tried again before the next one begins.
    if (own.length > 0) return own.some(({ retryAt }) => retryAt === null || retryAt <= now);
    return nextInterval(one, now) !== null || backfills.some(({ exportId }) => exportId === one.id);
  }

  /** One run; the next step looks for another. */
  async #work(one: BatchExport): Promise<void> {
    const { metadata, clock } = this.#deps;
    const project = await metadata.projects.get(one.projectId);
    if (!project) return;
    const unfinished = (await metadata.batchExports.listUnfinishedRuns()).filter(({ exportId }) => exportId === one.id);
    const now = clock.now();
    const run =
      unfinished.find(({ retryAt }) => retryAt === null || retryAt <= now) ??
      (unfinished.length > 0 ? null : ((await this.#claim(one)) ?? (await this.#claimBackfill(one))));
    if (!run) return;
    const batchExport = await metadata.batchExports.get(one.projectId, one.id);
    if (batchExport) await this.#execute(project, batchExport, run);
  }

  /** The next scheduled run, once everything that was accepted in its interval is processed. */
  async #claim(one: BatchExport): Promise<ExportRun | null> {
    const { metadata, clock, ids, processedBefore } = this.#deps;
    const interval = nextInterval(one, clock.now());
    if (interval === null || (await processedBefore()) < interval.endAt) return null;
    return metadata.transaction(async ({ batchExports }) => {
      const current = await batchExports.get(one.projectId, one.id);
      if (!current || current.paused || current.exportedUntil !== one.exportedUntil) return null;
      await batchExports.update({ ...current, exportedUntil: interval.endAt });
      // Of the time before its start nothing is exported.
      if (current.startAt !== null && interval.endAt <= current.startAt) return null;
      const run = newRun(current, interval, ids.uuid(), clock.now());
      await batchExports.saveRun(run);
      await batchExports.assignLate(one.id, run.id);
      return run;
    });
  }

  /** The next interval of a backfill; one that has been exported before is exported again. */
  async #claimBackfill(one: BatchExport): Promise<ExportRun | null> {
    const { metadata, clock, ids } = this.#deps;
    return metadata.transaction(async ({ batchExports }) => {
      const backfill = (await batchExports.listUnfinishedBackfills()).find(({ exportId }) => exportId === one.id);
      if (!backfill) return null;
      const now = clock.now();
      const startAt = backfill.nextStart;
      if (startAt >= backfill.endAt) {
        await batchExports.updateBackfill({ ...backfill, finishedAt: now });
        return null;
      }
      const following = (await batchExports.getNextStart(one.id, startAt)) ?? Number.POSITIVE_INFINITY;
      // Intervals never overlap, also after the length of them was changed.
      const endAt = Math.min(intervalEnd(one.interval, startAt), backfill.endAt, following);
      const earlier = await batchExports.getRunAt(one.id, startAt);
      const run = earlier ? runAgain(earlier, now) : newRun(one, { startAt, endAt }, ids.uuid(), now);
      if (earlier) await batchExports.deleteParts(earlier.id);
      await batchExports.saveRun(run);
      await batchExports.updateBackfill({ ...backfill, nextStart: run.endAt });
      return run;
    });
  }

  async #execute(project: Project, batchExport: BatchExport, claimed: ExportRun): Promise<void> {
    const { metadata, logger, clock, settings, secretKey } = this.#deps;
    const run: ExportRun = { ...claimed, status: 'Running', attempts: claimed.attempts + 1, updatedAt: clock.now() };
    await metadata.batchExports.saveRun(run);
    const about = { project: project.id, batchExport: batchExport.id, run: run.id };
    try {
      await this.#whenVisible(run);
      const target = openTarget(settings, secretKey(), batchExport, this.#stopping.signal, () => clock.now());
      const { records, bytes } = await executeRun(
        this.#deps,
        { project, batchExport, run },
        target,
        this.#stopping.signal,
      );
      logger.info({ ...about, records, bytes }, 'an export is complete');
    } catch (error) {
      // It goes on after the next start.
      if (this.#stopping.signal.aborted) return;
      logger.warn({ ...about, err: error }, 'an export failed');
      await this.#fail(project, batchExport, run, error);
    }
  }

  /** Chunks that were being processed when the interval was taken do not know yet that their events may be late. */
  async #whenVisible({ claimedAt }: ExportRun): Promise<void> {
    const { whenProcessed, processedBefore, clockSkewMs } = this.#deps;
    const giveUpAt = performance.now() + MAX_VISIBLE_WAIT_MS;
    const isVisible = async () => (await whenProcessed()) && (await processedBefore()) >= claimedAt + clockSkewMs;
    while (!(await isVisible())) {
      if (performance.now() > giveUpAt) throw new ExportFailure('events that were accepted are not stored yet');
      await sleep(VISIBLE_POLL_MS, undefined, { signal: this.#stopping.signal });
    }
  }

  /** Tries again later; pauses the export when that cannot help, or has not helped for a day. */
  async #fail(project: Project, one: BatchExport, run: ExportRun, error: unknown): Promise<void> {
    const { metadata, clock } = this.#deps;
    const now = clock.now();
    const why = reasonOf(error);
    const failingSince = run.failingSince ?? now;
    const isFinal = (error instanceof ExportFailure && error.isFinal) || now - failingSince >= PAUSED_AFTER_MS;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(run.attempts - 1, 20), MAX_RETRY_MS);
    await metadata.transaction(async (store) => {
      const { batchExports } = store;
      const [current, known] = [
        await batchExports.get(one.projectId, one.id),
        await batchExports.getRun(one.id, run.id),
      ];
      if (!current || !known) return;
      const status = isFinal ? 'Failed' : 'FailedRetryable';
      const retryAt = isFinal ? null : now + delay;
      await batchExports.saveRun({ ...known, status, retryAt, failingSince, error: why, updatedAt: now });
      if (!isFinal) return;
      await batchExports.update({ ...current, paused: true, pausedReason: why, updatedAt: now });
      await notifyOwner(store, {
        projectId: current.projectId,
        subjectId: current.id,
        // One message for each time that it was saved or resumed.
        slot: current.updatedAt,
        ownerId: current.createdBy,
        message: pausedMessage(current, project, why, now),
        now,
      });
    });
  }
}

/** Null: it is not over yet. */
function nextInterval({ interval, exportedUntil, endAt: last }: BatchExport, now: number) {
  const endAt = intervalEnd(interval, exportedUntil);
  if (endAt > now || (last !== null && exportedUntil >= last)) return null;
  return { startAt: exportedUntil, endAt };
}

const newRun = (
  { projectId, id: exportId, personPosition }: BatchExport,
  interval: { startAt: number; endAt: number },
  id: string,
  now: number,
): ExportRun => ({
  id,
  projectId,
  exportId,
  ...interval,
  status: 'Starting',
  claimedAt: now,
  attempts: 0,
  failingSince: null,
  retryAt: null,
  error: null,
  records: 0,
  bytes: 0,
  earlierParts: 0,
  fromPosition: personPosition,
  manifest: null,
  upload: null,
  createdAt: now,
  finishedAt: null,
  updatedAt: now,
});

/** Only our own words: a message of the system may contain a path or an address. */
function reasonOf(error: unknown): string {
  if (error instanceof ExportFailure) return error.message;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[A-Z_0-9]+$/.test(code)
    ? `the file could not be written: ${code}`
    : 'an error of the server; its log says more';
}

const pausedMessage = ({ id, name }: BatchExport, project: Project, why: string, now: number): Message => ({
  type: 'target.paused',
  timestamp: now,
  title: `The export "${name}" is paused`,
  text: `No files are made until it is resumed; then it goes on where it stopped. The reason: ${why}.`,
  facts: [{ name: 'Project', value: project.name }],
  url: null,
  data: { batch_export: id, reason: why },
});
