/**
 * Lets a flag decision wait until accepted changes of its subjects are processed, for two seconds at most: an
 * outdated answer is better than none, and it is counted. After a timeout, decisions that wait for the same entry or a
 * later one of the project do not wait: a backlog must not make every decision slow.
 */
import { Counter, type Registry } from 'prom-client';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { isProcessed, type LogProgress } from '../../stores/ingest/log-progress.ts';
import { PendingSubjects } from './pending-subjects.ts';
import { UnwrittenSubjects } from './unwritten-subjects.ts';

const TIMEOUT_MS = 2000;

interface ReadYourWritesDeps {
  /** The newest entry of the log at the start, if entries are pending; else 0. */
  initialHead: number;
  /** Tells the worker not to pause. */
  processNow(): void;
  timeoutMs?: number;
}

export class ReadYourWrites {
  readonly #deps: ReadYourWritesDeps;
  readonly #pending: PendingSubjects;
  readonly #unwritten = new UnwrittenSubjects();
  #waiting: { seq: number; projectId: number; done(): void }[] = [];
  /** For each project the first entry that a wait timed out on and that is not processed yet. */
  readonly #timedOutAt = new Map<number, number>();
  #outdated = 0;

  constructor(deps: ReadYourWritesDeps) {
    this.#deps = deps;
    this.#pending = new PendingSubjects(deps.initialHead);
  }

  get #timeoutMs(): number {
    return this.#deps.timeoutMs ?? TIMEOUT_MS;
  }

  /** How many decisions were made without waiting for everything pending. */
  get outdated(): number {
    return this.#outdated;
  }

  get hasPending(): boolean {
    return !this.#pending.isEmpty;
  }

  /** Too many subjects to list: all of the project wait for this entry. */
  addProject(seq: number, projectId: number): void {
    this.#pending.addProject(seq, projectId);
  }

  /** All subjects of all projects wait for it. */
  addAllProjects(seq: number): void {
    this.#pending.addAllProjects(seq);
  }

  /** Must be called before the entry is acknowledged. */
  add(seq: number, projectId: number, subjects: readonly string[]): void {
    this.#pending.add(seq, projectId, subjects);
  }

  /** While it is being written; `written` ends after `add`. */
  addUnwritten(projectId: number, subjects: readonly string[], written: Promise<void>): void {
    this.#unwritten.add(projectId, subjects, written);
  }

  /** The two are being merged: each waits for what the other waits for now. */
  linkSubjects(projectId: number, a: string, b: string): void {
    const [forA, forB] = [this.#pending.lastEntryFor(projectId, [a]), this.#pending.lastEntryFor(projectId, [b])];
    if (forA > forB) this.add(forA, projectId, [b]);
    if (forB > forA) this.add(forB, projectId, [a]);
  }

  /** Undefined where nothing is pending for these subjects, which is nearly always and costs a look into a map. */
  settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    const written = this.#unwritten.written(projectId, subjects);
    return written === undefined ? this.#processed(projectId, subjects) : this.#settle(written, projectId, subjects);
  }

  async #settle(written: Promise<void>, projectId: number, subjects: readonly string[]): Promise<void> {
    if (await resolvesWithin(this.#timeoutMs, written)) await this.#processed(projectId, subjects);
    else this.#outdated++;
  }

  #processed(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    const seq = this.#pending.lastEntryFor(projectId, subjects);
    if (seq === 0) return undefined;
    if (seq >= (this.#timedOutAt.get(projectId) ?? Infinity)) {
      this.#outdated++;
      return undefined;
    }
    this.#deps.processNow();
    return this.#wait(seq, projectId);
  }

  onProcessed(progress: LogProgress): void {
    this.#pending.removeProcessed(progress);
    for (const [projectId, seq] of this.#timedOutAt) {
      if (isProcessed(progress, { projectId, seq })) this.#timedOutAt.delete(projectId);
    }
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((one) => isProcessed(progress, one));
    this.#waiting = this.#waiting.filter((one) => !isProcessed(progress, one));
    for (const { done } of due) done();
  }

  #wait(seq: number, projectId: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter = {
        seq,
        projectId,
        done: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        this.#timedOutAt.set(projectId, Math.min(this.#timedOutAt.get(projectId) ?? Infinity, seq));
        this.#outdated++;
        resolve();
      }, this.#timeoutMs);
      this.#waiting.push(waiter);
    });
  }
}

export function reportOutdatedDecisions(registry: Registry, writes: Pick<ReadYourWrites, 'outdated'>): void {
  new Counter({
    name: 'cairn_decide_outdated_total',
    help: 'Flag decisions made before everything acknowledged about their subject was processed',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(writes.outdated);
    },
  });
}
