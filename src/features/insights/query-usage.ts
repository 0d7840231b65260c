/**
 * Counts how often insights use events and properties. Answers do not wait for it: counts are collected in memory and
 * written every few seconds; those of the last seconds before a crash are lost.
 */

import type { UsedName } from '../../core/events/used-name.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Schedule, startSchedule } from '../../lib/schedule.ts';
import type { QueryUsageStore, UsageCount } from '../../stores/metadata/query-usage.ts';
import { usedNames } from './kinds.ts';
import type { Question } from './rules/question.ts';

interface QueryUsageDeps {
  store: QueryUsageStore;
  clock: Clock;
  logger: Logger;
}

const FLUSH_INTERVAL_MS = 5000;
/** Further names are dropped until the next write. */
const MAX_PENDING_NAMES = 10_000;
const MAX_NAME_LENGTH = 400;
/** Today and the 29 days before it. */
const USAGE_DAYS = 30;

/** The first day that counts, in days since 1970. */
export const firstUsageDay = (now: number): number => Math.floor(now / DAY_MS) - USAGE_DAYS + 1;

export class QueryUsage {
  readonly #deps: QueryUsageDeps;
  #pending = new Map<string, UsageCount>();

  constructor(deps: QueryUsageDeps) {
    this.#deps = deps;
  }

  record(projectId: number, question: Question): void {
    const day = Math.floor(this.#deps.clock.now() / DAY_MS);
    for (const used of usedNames(question)) {
      if (used.name.length <= MAX_NAME_LENGTH) this.#add({ ...used, projectId, day, count: 1 });
    }
  }

  #add(one: UsageCount): void {
    const { count, ...what } = one;
    const key = JSON.stringify(what);
    const before = this.#pending.get(key);
    if (before !== undefined) before.count += count;
    else if (this.#pending.size < MAX_PENDING_NAMES) this.#pending.set(key, { ...one });
  }

  /** Writes the counts; those that could not be written are kept for the next time. */
  async flush(): Promise<void> {
    const counts = [...this.#pending.values()];
    if (counts.length === 0) return;
    this.#pending = new Map();
    try {
      await this.#deps.store.addCounts(counts);
    } catch (error) {
      for (const count of counts) this.#add(count);
      throw error;
    }
  }

  /** Name → how often it was used. */
  countsOfLast30Days(
    projectId: number,
    of: Pick<UsedName, 'kind' | 'groupTypeIndex'>,
  ): Promise<ReadonlyMap<string, number>> {
    return this.#deps.store.countSince(projectId, of, firstUsageDay(this.#deps.clock.now()));
  }

  start(): Schedule {
    const { clock, logger } = this.#deps;
    const schedule = startSchedule({
      clock,
      initialDelayMs: FLUSH_INTERVAL_MS,
      intervalMs: FLUSH_INTERVAL_MS,
      run: () => this.flush(),
      onError: (err) => logger.warn({ err }, 'could not write the usage of events and properties; trying again'),
    });
    return {
      stop: async () => {
        await schedule.stop();
        await this.flush().catch((err: unknown) =>
          logger.warn({ err }, 'could not write the last usage of events and properties'),
        );
      },
    };
  }
}
