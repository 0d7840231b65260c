/**
 * The main thread's side of ingestion: what has been accepted, what is pending, and who waits for it. `accept` appends
 * to the log; the worker thread processes the log and reports its position.
 */
import type { Logger } from '../../lib/log.ts';
import type { IngestLog, NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import type { EventIntake } from './event-intake.ts';
import type { ProcessedNotice, ProcessingOutage } from './processed-notice.ts';
import { ProjectShares } from './project-shares.ts';
import type { ReadYourWrites } from './read-your-writes.ts';

interface IngestionDeps {
  log: IngestLog;
  logger: Logger;
  /** Tells the worker that there are entries in the log. */
  wake(): void;
  writes: Pick<ReadYourWrites, 'add' | 'addUnwritten' | 'onProcessed'>;
  /** Of the log. */
  maxBytes: number;
}

export class Ingestion implements EventIntake {
  readonly #deps: IngestionDeps;
  readonly #shares: ProjectShares;
  #pending: number;
  #workerIsIdle = false;
  #outage: ProcessingOutage | null = null;
  #waitingForDrain: (() => void)[] = [];
  /** Everything in the log up to here has been processed. */
  #position = 0;
  #waitingForPosition: { seq: number; resolve(): void }[] = [];

  constructor(deps: IngestionDeps) {
    this.#deps = deps;
    this.#shares = new ProjectShares(deps.maxBytes);
    this.#pending = deps.log.state().events;
  }

  accept(entry: NewLogEntry, subjects: readonly string[] = []): Promise<void> {
    const written = this.#write(entry, subjects);
    this.#deps.writes.addUnwritten(entry.projectId, subjects, written);
    return written;
  }

  async #write(entry: NewLogEntry, subjects: readonly string[]): Promise<void> {
    this.#shares.requireRoom(entry.projectId, this.#deps.log.state().bytes);
    const seq = await this.#deps.log.append(entry);
    this.#shares.add(seq, entry.projectId, entry.payload.length);
    this.#deps.writes.add(seq, entry.projectId, subjects);
    this.#pending += entry.events;
    if (!this.#workerIsIdle) return;
    this.#workerIsIdle = false;
    this.#deps.wake();
  }

  /** Why events cannot be accepted at the moment; null if they can. */
  refusal(): Promise<string | null> {
    return this.#deps.log.refusal();
  }

  /** What processing waits for; null if it goes on. */
  get outage(): ProcessingOutage | null {
    return this.#outage;
  }

  get pending(): number {
    return this.#pending;
  }

  get accepted(): number {
    return this.#deps.log.state().accepted;
  }

  /** Age of the oldest pending event, ms. */
  lag(now: number): number {
    const { oldestReceivedAt } = this.#deps.log.state();
    return this.#pending === 0 || oldestReceivedAt === null ? 0 : Math.max(0, now - oldestReceivedAt);
  }

  async drain(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => this.#waitingForDrain.push(resolve));
  }

  whenProcessed(): Promise<void> {
    const { head, entries } = this.#deps.log.state();
    if (entries === 0 || head <= this.#position) return Promise.resolve();
    return new Promise((resolve) => this.#waitingForPosition.push({ seq: head, resolve }));
  }

  /** The worker has started, perhaps after one that died before it could report its position: count again. */
  readonly onReady = (position: number): void => {
    this.#advance(position);
    this.#deps.writes.onProcessed(progressAt(position));
    void this.#trim(position).then(() => {
      this.#pending = this.#deps.log.state().events;
      this.#resolveDrained();
      this.#workerIsIdle = false;
      this.#deps.wake();
    });
  };

  readonly onProcessed = ({ progress, events }: Pick<ProcessedNotice, 'progress' | 'events'>): void => {
    this.#outage = null;
    this.#pending -= events;
    this.#advance(progress.position);
    this.#deps.writes.onProcessed(progress);
    void this.#trim(progress.position);
    this.#resolveDrained();
  };

  /** It was tried again and failed again: it has been waiting since the first time. */
  readonly onOutage = (outage: ProcessingOutage): void => {
    this.#outage = { ...outage, since: this.#outage?.since ?? outage.since };
  };

  /** An entry may have come in meanwhile: then the worker is woken again. */
  readonly onIdle = (position: number): void => {
    this.#outage = null;
    this.#advance(position);
    this.#deps.writes.onProcessed(progressAt(position));
    this.#workerIsIdle = this.#deps.log.state().head <= position;
    if (this.#workerIsIdle) {
      // Nothing is pending, whatever was counted: after a failed trim in `onReady` the count would stay too high.
      this.#pending = 0;
      this.#resolveDrained();
    } else this.#deps.wake();
  };

  /** A trim that fails does no harm: the next one removes its entries too, and a start skips them. */
  #trim(position: number): Promise<void> {
    return this.#deps.log
      .trim(position)
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'the ingest log could not be trimmed'));
  }

  #advance(position: number): void {
    this.#position = position;
    this.#shares.onProcessed(position);
    for (const { resolve } of this.#waitingForPosition.filter(({ seq }) => seq <= position)) resolve();
    this.#waitingForPosition = this.#waitingForPosition.filter(({ seq }) => seq > position);
  }

  #resolveDrained(): void {
    if (this.#pending === 0) for (const resolve of this.#waitingForDrain.splice(0)) resolve();
  }
}
