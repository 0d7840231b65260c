/**
 * The background half of deletions. Records are gone and events are ordered to go when a deletion is written down; what
 * is left is their bytes: in free pages and blocks of the stores, in their journals, in the log. Each file is written
 * afresh, then everything is looked through, and only then is a deletion complete.
 *
 * Writing files afresh is dear, so deletions that come within a short time share it. A process that dies in the middle
 * begins again at the next start: every step may be repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Loop, startLoop } from '../../../lib/loop.ts';
import type { FileScan } from '../../../lib/scan-files.ts';
import type { SqlRow, SqlValue } from '../../../stores/events/event-store.ts';
import type { DeletionScan, DeletionStore, PersonDeletion } from '../../../stores/metadata/deletions.ts';

interface ErasureDeps {
  deletions: DeletionStore;
  /** Has the event store do what was ordered. */
  reassign(): Promise<void>;
  /** Write these afresh, after what was accepted has been processed. */
  purgeLog(): Promise<void>;
  purgeStores(): Promise<void>;
  query(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]>;
  scanFiles(texts: readonly string[]): Promise<FileScan>;
  /** So long deletions are gathered before files are written. */
  batchDelayMs: number;
  clock: Clock;
  logger: Logger;
}

/** Shorter texts stand in any file by chance. */
const MIN_SEARCH_TEXT_LENGTH = 6;
const MAX_SEARCH_TEXTS = 10;
/** So many deletions share one look through the files. */
const SCAN_BATCH_SIZE = 20;
/** Every try writes whole files: where it fails, it is not repeated in a hurry. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 600_000;

export class Erasure {
  readonly #deps: ErasureDeps;
  readonly #stopping = new AbortController();
  /** What to look for in files, by deletion. Kept nowhere else: a restart forgets it, and looks at rows alone. */
  readonly #telltales = new Map<string, readonly string[]>();
  #loop: Loop | null = null;

  constructor(deps: ErasureDeps) {
    this.#deps = deps;
  }

  /** Goes on with what an earlier process began. */
  start(): void {
    this.#loop = startLoop({
      step: () => this.#step(),
      firstPauseMs: MIN_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      onError: (err, pauseMs) => {
        this.#deps.logger.error({ err, pauseMs }, 'a deletion could not be finished; trying again');
      },
    });
  }

  /** A deletion may have been written down by another process. */
  wake(): void {
    this.#loop?.wake();
  }

  begin(deletionId: string, telltales: readonly string[]): void {
    const useful = telltales.filter((text) => text.length >= MIN_SEARCH_TEXT_LENGTH);
    this.#telltales.set(deletionId, useful.slice(0, MAX_SEARCH_TEXTS));
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
    for (let at = 0; at < due.length; at += SCAN_BATCH_SIZE) await this.#finish(due.slice(at, at + SCAN_BATCH_SIZE));
    return true;
  }

  async #finish(erased: readonly PersonDeletion[]): Promise<void> {
    const { deletions, clock, logger } = this.#deps;
    const files = await this.#deps.scanFiles(erased.flatMap(({ id }) => this.#telltales.get(id) ?? []));
    for (const deletion of erased) {
      const scan = await this.#scan(deletion, files);
      if (scan.rows > 0) throw new Error(`${scan.rows} records of deletion ${deletion.id} are still there.`);
      await deletions.complete(deletion.id, scan, clock.now());
      this.#telltales.delete(deletion.id);
      logger.info({ deletion: deletion.id, project: deletion.projectId }, 'a person was deleted, and nothing is left');
    }
  }

  async #scan({ id, projectId, personUuid }: PersonDeletion, { files, bytes, found }: FileScan): Promise<DeletionScan> {
    const { deletions, query } = this.#deps;
    const telltales = this.#telltales.get(id);
    const [row] = await query(
      `select (select count(*) from events where project_id = $1 and person_id = cast($2 as UUID))
        + (select count(*) from person_rows where project_id = $1 and person_id = cast($2 as UUID)) as n`,
      [projectId, personUuid],
    );
    const rows = Number(row?.['n'] ?? 0) + (await deletions.countRemainingData(projectId, personUuid));
    const mentionedIn = telltales && [...new Set(telltales.flatMap((text) => found.get(text) ?? []))];
    return { rows, files, bytes, mentionedIn: mentionedIn ?? null };
  }
}
