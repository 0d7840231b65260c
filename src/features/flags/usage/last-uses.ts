/** When flags were last evaluated, by this server or by an SDK that reported it. */
import { DAY_MS, MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { EventStoreDeps } from '../../../query/query-deps.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { staleBefore, type ValueUse } from '../rules/removal.ts';
import type { FlagUsageStore } from '../store/flag-usage-store.ts';
import { lastReportedUses } from './reported-usage.ts';

interface LastUsesDeps extends EventStoreDeps {
  metadata: { flagUsage: Pick<FlagUsageStore, 'lastUsed' | 'firstUsed'> };
  clock: Clock;
  log: Logger;
}

type Flag = Pick<FeatureFlag, 'id' | 'key'>;

export interface LastUses {
  /** Null: never, as far as is known. */
  of(flag: Flag): number | null;
  /** The same by value. */
  valuesOf(flag: Flag): readonly ValueUse[];
  /** The first evaluation of any flag of the project that was counted; null before it. */
  countedSince: number | null;
}

/** Reported uses are looked for in the events of this time. */
const REPORTED_WITHIN_MS = 60 * DAY_MS;
const REPORTED_FOR_MS = MINUTE_MS;
const MAX_PROJECTS = 1000;

type Reported = Promise<ReadonlyMap<string, readonly ValueUse[]>>;

export class FlagLastUses {
  readonly #deps: LastUsesDeps;
  readonly #reported = new Map<number, { at: number; uses: Reported }>();

  constructor(deps: LastUsesDeps) {
    this.#deps = deps;
  }

  async find(projectId: number): Promise<LastUses> {
    const { metadata, clock } = this.#deps;
    const { flagUsage } = metadata;
    const [counted, countedSince, reported] = await Promise.all([
      flagUsage.lastUsed(projectId, staleBefore(clock.now())),
      flagUsage.firstUsed(projectId),
      this.#reportedIn(projectId),
    ]);
    const valuesOf = ({ id, key }: Flag): ValueUse[] => [...(counted.get(id) ?? []), ...(reported.get(key) ?? [])];
    return { countedSince, valuesOf, of: (flag) => newestOf(valuesOf(flag)) };
  }

  /** Asked for at most once a minute: it reads events. */
  #reportedIn(projectId: number): Reported {
    const now = this.#deps.clock.now();
    const known = this.#reported.get(projectId);
    if (known !== undefined && Math.abs(now - known.at) < REPORTED_FOR_MS) return known.uses;
    if (this.#reported.size >= MAX_PROJECTS) this.#reported.clear();
    const uses = this.#read(projectId, now);
    this.#reported.set(projectId, { at: now, uses });
    return uses;
  }

  /** Flags can be shown without it. */
  async #read(projectId: number, now: number): Reported {
    try {
      const range = { from: now - REPORTED_WITHIN_MS, to: now + 1 };
      return await lastReportedUses(this.#deps, projectId, range, staleBefore(now));
    } catch (err) {
      this.#deps.log.warn({ err }, 'could not read when flags were last evaluated by SDKs');
      this.#reported.delete(projectId);
      return new Map();
    }
  }
}

const newestOf = (uses: readonly ValueUse[]): number | null =>
  uses.length === 0 ? null : Math.max(...uses.map(({ last }) => last));
