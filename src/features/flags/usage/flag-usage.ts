/**
 * Counts evaluations of flags by value and SDK. Requests do not wait for it: counts are collected in memory and written
 * every ten seconds, so of the last ten seconds before a crash some may be missing. A write is numbered, so that one whose
 * outcome was not known is not counted twice.
 */
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import { type Schedule, startSchedule } from '../../../lib/schedule.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { Decision } from '../decide/decision.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { FlagUseCount } from '../store/flag-usage-store.ts';
import { OTHER_SOURCE } from './usage-source.ts';

interface FlagUsageDeps {
  metadata: Pick<MetadataStore, 'transaction'>;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  log: Logger;
}

const FLUSH_INTERVAL_MS = 10_000;
/** Of one project; the others are counted as `other`. */
const MAX_SOURCES = 64;
/** How many different decisions of a source are remembered before their flags are counted. */
const MAX_DECISIONS = 512;
/** Further counts are dropped until the next write. */
const MAX_PENDING = 100_000;

/**
 * What one SDK asked for in the current minute. Most requests are about somebody who was asked about a moment ago and get
 * the same decision, and equal outcomes of a flag are one object (decision 33), so nothing is built for a count.
 */
class SourceCounts {
  readonly #decisions = new Map<Decision, number>();
  readonly #evaluations = new Map<FlagEvaluation, number>();

  record(decision: Decision): void {
    this.#decisions.set(decision, (this.#decisions.get(decision) ?? 0) + 1);
    if (this.#decisions.size >= MAX_DECISIONS) this.#countFlags();
  }

  #countFlags(): void {
    const counts = this.#evaluations;
    for (const [{ evaluations }, count] of this.#decisions) {
      for (const one of evaluations) {
        if (one.reason !== 'failed') counts.set(one, (counts.get(one) ?? 0) + count);
      }
    }
    this.#decisions.clear();
  }

  /** Evaluation → how often it was given. */
  get evaluations(): ReadonlyMap<FlagEvaluation, number> {
    this.#countFlags();
    return this.#evaluations;
  }
}

export class FlagUsage {
  readonly #deps: FlagUsageDeps;
  readonly #node: string;
  #sequence = 0;
  /** Project → source → counts of the current minute. */
  #counts = new Map<number, Map<string, SourceCounts>>();
  #minute = 0;
  #pending = new Map<string, FlagUseCount>();
  /** The write whose outcome is not known. */
  #unwritten: { sequence: number; counts: FlagUseCount[] } | null = null;

  constructor(deps: FlagUsageDeps) {
    this.#deps = deps;
    this.#node = deps.ids.uuid();
  }

  record(projectId: number, decision: Decision, source: string): void {
    if (decision.evaluations.length === 0) return;
    const minute = Math.floor(this.#deps.clock.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#endMinute(minute);
    this.#countsOf(projectId, source).record(decision);
  }

  #countsOf(projectId: number, source: string): SourceCounts {
    const sources = this.#counts.get(projectId) ?? new Map<string, SourceCounts>();
    if (sources.size === 0) this.#counts.set(projectId, sources);
    const known = sources.get(source);
    if (known !== undefined) return known;
    if (sources.size >= MAX_SOURCES && source !== OTHER_SOURCE) return this.#countsOf(projectId, OTHER_SOURCE);
    const added = new SourceCounts();
    sources.set(source, added);
    return added;
  }

  /** What is recorded after it belongs to the given minute. */
  #endMinute(next: number): void {
    const start = this.#minute * MINUTE_MS;
    for (const [projectId, sources] of this.#counts) {
      for (const [source, { evaluations }] of sources) {
        for (const [{ id, value }, count] of evaluations) {
          this.#add({ projectId, flagId: id, start, source, value: String(value), count });
        }
      }
    }
    this.#counts = new Map();
    this.#minute = next;
  }

  #add(one: FlagUseCount): void {
    const { projectId, flagId, start, source, value } = one;
    const key = `${projectId} ${flagId} ${start} ${source} ${value}`;
    const before = this.#pending.get(key);
    if (before !== undefined) before.count += one.count;
    else if (this.#pending.size < MAX_PENDING) this.#pending.set(key, one);
  }

  /** Writes what was counted. What could not be written is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#unwritten !== null) await this.#write(this.#unwritten);
    this.#endMinute(this.#minute);
    if (this.#pending.size === 0) return;
    const counts = [...this.#pending.values()];
    this.#pending = new Map();
    await this.#write({ sequence: ++this.#sequence, counts });
  }

  async #write(batch: { sequence: number; counts: FlagUseCount[] }): Promise<void> {
    this.#unwritten = batch;
    await this.#deps.metadata.transaction(async ({ flagUsage }) => {
      if (await flagUsage.begin(this.#node, batch.sequence, this.#deps.clock.now())) await flagUsage.add(batch.counts);
    });
    this.#unwritten = null;
  }

  start(): Schedule {
    const { clock, log } = this.#deps;
    const schedule = startSchedule({
      clock,
      initialDelayMs: FLUSH_INTERVAL_MS,
      intervalMs: FLUSH_INTERVAL_MS,
      run: () => this.flush(),
      onError: (err) => log.warn({ err }, 'could not write the usage of flags; trying again'),
    });
    return {
      stop: async () => {
        await schedule.stop();
        await this.flush().catch((err: unknown) => log.warn({ err }, 'could not write the last usage of flags'));
      },
    };
  }
}
