/**
 * Lets a decision wait until what was acknowledged about its subjects is stored. It waits two seconds at the most: an
 * outdated answer is better than none, and it is counted. Where somebody has waited in vain, those behind them in the
 * log do not even begin to: a backlog must not make every decision slow.
 */
import { Counter, type Registry } from 'prom-client';
import { PendingSubjects } from './pending-subjects.ts';

const TIMEOUT_MS = 2000;

interface ReadYourWritesDeps {
  /** The newest entry of the log at the start, where something in it waits; else 0. */
  initialHead: number;
  /** Asks the worker not to pause. */
  processNow(): void;
  timeoutMs?: number;
}

export class ReadYourWrites {
  readonly #deps: ReadYourWritesDeps;
  readonly #pending: PendingSubjects;
  #waiting: { seq: number; done(): void }[] = [];
  /** The first entry that somebody has waited for in vain, and that still is not processed; else Infinity. */
  #stuckAt = Infinity;
  #outdated = 0;

  constructor(deps: ReadYourWritesDeps) {
    this.#deps = deps;
    this.#pending = new PendingSubjects(deps.initialHead);
  }

  /** Decisions that were made without waiting for everything that they should have seen. */
  get outdated(): number {
    return this.#outdated;
  }

  /** Whether anything at all waits. */
  get hasPending(): boolean {
    return !this.#pending.isEmpty;
  }

  /** Too many to name: whoever of the project asks waits for this entry. */
  addProject(seq: number, projectId: number): void {
    this.#pending.addProject(seq, projectId);
  }

  /** Anybody at all may be meant. */
  addAllProjects(seq: number): void {
    this.#pending.addAllProjects(seq);
  }

  /** Must be called before the entry is acknowledged. */
  add(seq: number, projectId: number, subjects: readonly string[]): void {
    this.#pending.add(seq, projectId, subjects);
  }

  /** What changes one of both changes the other: each waits for what the other waits for now. */
  linkSubjects(projectId: number, a: string, b: string): void {
    const [forA, forB] = [this.#pending.lastEntryFor(projectId, [a]), this.#pending.lastEntryFor(projectId, [b])];
    if (forA > forB) this.add(forA, projectId, [b]);
    if (forB > forA) this.add(forB, projectId, [a]);
  }

  /** Undefined where nothing about these subjects waits, which is nearly always and costs a look into a map. */
  settled(projectId: number, subjects: readonly string[]): Promise<void> | undefined {
    const seq = this.#pending.lastEntryFor(projectId, subjects);
    if (seq === 0) return undefined;
    if (seq >= this.#stuckAt) {
      this.#outdated++;
      return undefined;
    }
    this.#deps.processNow();
    return this.#wait(seq);
  }

  onProcessed(position: number): void {
    this.#pending.removeProcessed(position);
    if (this.#stuckAt <= position) this.#stuckAt = Infinity;
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter(({ seq }) => seq <= position);
    this.#waiting = this.#waiting.filter(({ seq }) => seq > position);
    for (const { done } of due) done();
  }

  #wait(seq: number): Promise<void> {
    return new Promise((resolve) => {
      const one = {
        seq,
        done: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== one);
        this.#stuckAt = Math.min(this.#stuckAt, seq);
        this.#outdated++;
        resolve();
      }, this.#deps.timeoutMs ?? TIMEOUT_MS);
      this.#waiting.push(one);
    });
  }
}

/** Adds to what Prometheus reads how often a decision could not wait long enough. */
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
