/**
 * The background part of deletions. When a deletion is recorded, its rows are gone and its events are about to be
 * removed, but their bytes are still in free pages, journals and the log. So every file is rewritten, then everything is
 * checked, and only then is a deletion complete.
 *
 * Rewriting is expensive, so deletions within a short time share it. Every step can be repeated after a crash.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.ts';
import type { LeaderTask } from '../../../lib/leader-task.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Loop, startLoop } from '../../../lib/loop.ts';
import type { FileScan } from '../../../lib/scan-files.ts';
import type { SqlRow, SqlValue } from '../../../stores/events/event-store.ts';
import type { DeletionScan, DeletionStore, PersonDeletion } from '../../../stores/metadata/deletions.ts';

export interface ErasureDeps {
  deletions: DeletionStore;
  /** Applies pending reassignments in the event store. */
  reassign(): Promise<void>;
  /** Rewrite these, after everything accepted has been processed. */
  purgeLog(): Promise<void>;
  purgeStores(): Promise<void>;
  /** Removes unfinished copies of the data; returns how many are being made. */
  removeLeftovers(): Promise<number>;
  query(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]>;
  scanFiles(texts: readonly string[]): Promise<FileScan>;
  /** How long deletions are collected before files are rewritten. */
  batchDelayMs: number;
  clock: Clock;
  logger: Logger;
}

/** Shorter texts occur in any file by chance. */
const MIN_SEARCH_TEXT_LENGTH = 6;
export const longEnough = (texts: readonly string[]): string[] =>
  texts.filter((text) => text.length >= MIN_SEARCH_TEXT_LENGTH);
const MAX_SEARCH_TEXTS = 10;
/** Deletions that share one scan of the files. */
const SCAN_BATCH_SIZE = 20;
/** Each attempt rewrites all files, so failures back off for long. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 600_000;
const COPY_POLL_INTERVAL_MS = 250;

export class Erasure implements LeaderTask {
  readonly #deps: ErasureDeps;
  readonly #stopping = new AbortController();
  /** Texts to search for in files, by deletion. Only in memory: after a restart only rows are checked. */
  readonly #searchTexts = new Map<string, readonly string[]>();
  #loop: Loop | null = null;

  constructor(deps: ErasureDeps) {
    this.#deps = deps;
  }

  /** Continues deletions of an earlier process. */
  start(): void {
    this.#loop = startLoop({
      step: () => this.#step(),
      firstPauseMs: MIN_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      onError: (err, pauseMs) => {
        this.#deps.logger.error({ err, pauseMs }, 'a deletion failed and will be retried');
      },
    });
  }

  /** Another process may have recorded a deletion. */
  wake(): void {
    this.#loop?.wake();
  }

  begin(deletionId: string, searchTexts: readonly string[]): void {
    this.#searchTexts.set(deletionId, longEnough(searchTexts).slice(0, MAX_SEARCH_TEXTS));
    this.#loop?.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop?.stop();
  }

  async #step(): Promise<boolean> {
    const { deletions, batchDelayMs } = this.#deps;
    if ((await deletions.listUnfinished()).length === 0) return false;
    await sleep(batchDelayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    if (this.#stopping.signal.aborted) return false;
    await this.#deps.reassign();
    const due = (await deletions.listUnfinished()).filter(({ eventsRemoved }) => eventsRemoved !== null);
    if (due.length === 0) throw new Error('The event store has not removed the events yet.');
    await this.#deps.purgeLog();
    await this.#deps.purgeStores();
    await this.#waitForCopies();
    for (let i = 0; i < due.length; i += SCAN_BATCH_SIZE) await this.#finish(due.slice(i, i + SCAN_BATCH_SIZE));
    return true;
  }

  /** A backup that began before has a copy of what was deleted, until it is done. */
  async #waitForCopies(): Promise<void> {
    while ((await this.#deps.removeLeftovers()) > 0) {
      await sleep(COPY_POLL_INTERVAL_MS, undefined, { signal: this.#stopping.signal });
    }
  }

  async #finish(erased: readonly PersonDeletion[]): Promise<void> {
    const { deletions, clock, logger } = this.#deps;
    const files = await this.#deps.scanFiles(erased.flatMap(({ id }) => this.#searchTexts.get(id) ?? []));
    for (const deletion of erased) {
      const scan = await this.#scan(deletion, files);
      if (scan.rows > 0) throw new Error(`${scan.rows} rows of deletion ${deletion.id} still exist.`);
      await deletions.complete(deletion.id, scan, clock.now());
      this.#searchTexts.delete(deletion.id);
      logger.info({ deletion: deletion.id, project: deletion.projectId }, 'a person was deleted completely');
    }
  }

  async #scan({ id, projectId, personUuid }: PersonDeletion, { files, bytes, found }: FileScan): Promise<DeletionScan> {
    const { deletions, query } = this.#deps;
    const searchTexts = this.#searchTexts.get(id);
    const [row] = await query(
      `select (select count(*) from events where project_id = $1 and person_id = cast($2 as UUID))
        + (select count(*) from person_rows where project_id = $1 and person_id = cast($2 as UUID)) as n`,
      [projectId, personUuid],
    );
    const rows = Number(row?.['n'] ?? 0) + (await deletions.countRemainingData(projectId, personUuid));
    const mentionedIn = searchTexts && [...new Set(searchTexts.flatMap((text) => found.get(text) ?? []))];
    return { rows, files, bytes, mentionedIn: mentionedIn ?? null };
  }
}
