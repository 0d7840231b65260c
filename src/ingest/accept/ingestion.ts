/**
 * The main thread's books about ingestion: what has been accepted, what still waits, and who waits for it.
 * Requests come in at `accept`; the worker thread takes them out of the log and says how far it has got.
 */
import type { Logger } from '../../lib/log.ts';
import type { IngestLog, NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import type { EventIntake } from './event-intake.ts';
import type { ProcessedNotice } from './processed-notice.ts';
import type { ReadYourWrites } from './read-your-writes.ts';

interface IngestionDeps {
  log: IngestLog;
  logger: Logger;
  /** There is something in the log. */
  wake(): void;
  /** Hears whose changes have been accepted, and how far they are processed. */
  writes: Pick<ReadYourWrites, 'add' | 'onProcessed'>;
}

export class Ingestion implements EventIntake {
  readonly #deps: IngestionDeps;
  #pending: number;
  #workerIsIdle = false;
  #drained: (() => void)[] = [];
  /** Everything in the log up to here has been processed. */
  #position = 0;
  #behind: { seq: number; resolve(): void }[] = [];

  constructor(deps: IngestionDeps) {
    this.#deps = deps;
    this.#pending = deps.log.state().events;
  }

  async accept(entry: NewLogEntry, subjects: readonly string[] = []): Promise<void> {
    const seq = await this.#deps.log.append(entry);
    this.#deps.writes.add(seq, entry.projectId, subjects);
    this.#pending += entry.events;
    if (!this.#workerIsIdle) return;
    this.#workerIsIdle = false;
    this.#deps.wake();
  }

  get pending(): number {
    return this.#pending;
  }

  get accepted(): number {
    return this.#deps.log.state().accepted;
  }

  /** Age of the oldest event that waits, ms. */
  lag(now: number): number {
    const { oldestReceivedAt } = this.#deps.log.state();
    return this.#pending === 0 || oldestReceivedAt === null ? 0 : Math.max(0, now - oldestReceivedAt);
  }

  async drain(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  whenProcessed(): Promise<void> {
    const { head, entries } = this.#deps.log.state();
    if (entries === 0 || head <= this.#position) return Promise.resolve();
    return new Promise((resolve) => this.#behind.push({ seq: head, resolve }));
  }

  /** A thread begins, perhaps in place of one that died before it could say how far it had got: count afresh. */
  readonly onReady = (position: number): void => {
    this.#reach(position);
    this.#deps.writes.onProcessed(position);
    void this.#trim(position).then(() => {
      this.#pending = this.#deps.log.state().events;
      this.#settle();
      this.#workerIsIdle = false;
      this.#deps.wake();
    });
  };

  readonly onProcessed = ({ position, events }: Pick<ProcessedNotice, 'position' | 'events'>): void => {
    this.#pending -= events;
    this.#reach(position);
    this.#deps.writes.onProcessed(position);
    void this.#trim(position);
    this.#settle();
  };

  /** An entry may have come in while the worker was saying that there was none: then it is woken again. */
  readonly onIdle = (position: number): void => {
    this.#reach(position);
    this.#deps.writes.onProcessed(position);
    this.#workerIsIdle = this.#deps.log.state().head <= position;
    if (this.#workerIsIdle) {
      // Nothing waits, whatever was counted: after a trim that failed at `onReady` the count would stay too high.
      this.#pending = 0;
      this.#settle();
    } else this.#deps.wake();
  };

  /** A trim that fails does no harm: the next one takes its entries along, and a start passes over them. */
  #trim(position: number): Promise<void> {
    return this.#deps.log
      .trim(position)
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'the log was not trimmed'));
  }

  #reach(position: number): void {
    this.#position = position;
    for (const { resolve } of this.#behind.filter(({ seq }) => seq <= position)) resolve();
    this.#behind = this.#behind.filter(({ seq }) => seq > position);
  }

  #settle(): void {
    if (this.#pending === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }
}
