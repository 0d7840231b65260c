/**
 * Counts how often insights ask for events and properties. An answer never waits for it: names are noted in memory, and
 * written together a few seconds later; what was noted in the seconds before a crash is lost.
 */

import type { UsedName } from '../../core/events/asked-name.ts';
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
/** More different names at a time than people ask for; beyond them nothing is noted until these are written. */
const MAX_PENDING_NAMES = 10_000;
const MAX_NAME_LENGTH = 400;
/** Today and the 29 days before it. */
const USAGE_DAYS = 30;

/** The first day that counts at this time, in days since 1970. */
export const firstUsageDay = (now: number): number => Math.floor(now / DAY_MS) - USAGE_DAYS + 1;

export class QueryUsage {
  readonly #deps: QueryUsageDeps;
  #waiting = new Map<string, UsageCount>();

  constructor(deps: QueryUsageDeps) {
    this.#deps = deps;
  }

  record(projectId: number, question: Question): void {
    const day = Math.floor(this.#deps.clock.now() / DAY_MS);
    for (const asked of usedNames(question)) {
      if (asked.name.length <= MAX_NAME_LENGTH) this.#add({ ...asked, projectId, day, count: 1 });
    }
  }

  #add(one: UsageCount): void {
    const { count, ...what } = one;
    const key = JSON.stringify(what);
    const before = this.#waiting.get(key);
    if (before !== undefined) before.count += count;
    else if (this.#waiting.size < MAX_PENDING_NAMES) this.#waiting.set(key, { ...one });
  }

  /** Writes what was noted; what cannot be written is noted again. */
  async flush(): Promise<void> {
    const counts = [...this.#waiting.values()];
    if (counts.length === 0) return;
    this.#waiting = new Map();
    try {
      await this.#deps.store.addCounts(counts);
    } catch (error) {
      for (const count of counts) this.#add(count);
      throw error;
    }
  }

  /** Name → how often it was asked for in the last thirty days. */
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
      onError: (err) => logger.warn({ err }, 'what insights asked for could not be counted; it is tried again'),
    });
    return {
      stop: async () => {
        await schedule.stop();
        await this.flush().catch((err: unknown) => logger.warn({ err }, 'the last insights stay uncounted'));
      },
    };
  }
}
