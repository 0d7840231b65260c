/**
 * Flag definitions in memory, ready to be evaluated: one snapshot per project, read when it is first asked for, never
 * changed, and replaced when something in it changes. Whoever changes a flag or a cohort calls `forget` before
 * answering, so that the next request sees the change.
 */
import { Failure } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { prepareFlags } from '../rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../rules/compile/prepared-flags.ts';
import type { CohortDefinition, EvaluationRuntime, FlagDefinition } from '../rules/flag.ts';

export interface FlagSnapshot {
  /** Those that are not deleted, newest first; inactive ones too. */
  flags: readonly FeatureFlag[];
  cohorts: readonly Cohort[];
  prepared: PreparedFlags;
  /** Name of a kind of groups → its index. */
  groupTypeIndexes: ReadonlyMap<string, number>;
  /** Keys of the active flags whose value stays when a person is identified. */
  continuityKeys: readonly string[];
  /** Keys of the flags for callers of each kind; undefined where they get all. */
  keysByRuntime: Readonly<Record<CallerRuntime, ReadonlySet<string> | undefined>>;
}

/** Where a caller runs, as far as it can be told; people who look at flags are shown those for any. */
export type CallerRuntime = Exclude<EvaluationRuntime, 'all'> | 'unknown' | 'any';

type SnapshotStore = Pick<MetadataStore, 'flags' | 'cohorts' | 'subjects'>;

/** More projects than this are not remembered at once. */
const CACHE_SIZE = 1000;
const RETRY_DELAY_MS = 1000;

const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.kind === 'unavailable';

export class FlagSnapshots {
  readonly #metadata: SnapshotStore;
  readonly #kept = new Map<number, Promise<FlagSnapshot>>();
  /** Those of them that have been read. */
  readonly #ready = new Map<number, FlagSnapshot>();
  /** The last snapshot that was made, for what need not be prepared again, and for when nothing can be read. */
  readonly #last = new Map<number, FlagSnapshot>();
  /** Until then nobody tries again to read from a store that is away. */
  #awayUntil = 0;

  constructor(metadata: SnapshotStore) {
    this.#metadata = metadata;
  }

  get(projectId: number): Promise<FlagSnapshot> {
    const kept = this.#kept.get(projectId);
    if (kept !== undefined) return kept;
    const last = this.#last.get(projectId);
    if (last !== undefined && performance.now() < this.#awayUntil) return Promise.resolve(last);
    const read = this.#read(projectId);
    if (this.#kept.size >= CACHE_SIZE) this.#evictOldest();
    // A read that is under way when something changes is no longer in the map then, and whoever asks later reads anew.
    this.#kept.set(projectId, read);
    const isCurrent = (): boolean => this.#kept.get(projectId) === read;
    // A failure is not remembered.
    read.then(
      (snapshot) => isCurrent() && this.#store(projectId, snapshot),
      () => isCurrent() && this.invalidate(projectId),
    );
    return last === undefined ? read : this.#orLast(read, last);
  }

  /** While the store is away, what was true when it could last be read is better than nothing. */
  async #orLast(read: Promise<FlagSnapshot>, last: FlagSnapshot): Promise<FlagSnapshot> {
    try {
      return await read;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#awayUntil = performance.now() + RETRY_DELAY_MS;
      return last;
    }
  }

  /** The snapshot without waiting for it, where it has been read. */
  cached(projectId: number): FlagSnapshot | undefined {
    return this.#ready.get(projectId);
  }

  invalidate(projectId: number): void {
    this.#kept.delete(projectId);
    this.#ready.delete(projectId);
  }

  /** Nobody knows what has changed. */
  invalidateAll(): void {
    this.#kept.clear();
    this.#ready.clear();
  }

  #evictOldest(): void {
    const [oldest] = this.#kept.keys();
    if (oldest === undefined) return;
    this.invalidate(oldest);
    this.#last.delete(oldest);
  }

  async #read(projectId: number): Promise<FlagSnapshot> {
    const { flags: flagStore, cohorts: cohortStore, subjects } = this.#metadata;
    const flags = await flagStore.listByProject(projectId);
    const cohorts = await cohortStore.listByProject(projectId);
    const groupTypes = await subjects.listGroupTypes(projectId);
    return buildSnapshot({ flags, cohorts, groupTypes }, this.#last.get(projectId)?.prepared);
  }

  #store(projectId: number, snapshot: FlagSnapshot): void {
    this.#ready.set(projectId, snapshot);
    this.#last.set(projectId, snapshot);
  }
}

interface FlagSnapshotSource {
  flags: readonly FeatureFlag[];
  cohorts: readonly Cohort[];
  groupTypes: ReadonlyMap<number, string>;
}

/** `last`: what was prepared before, for what need not be prepared again. */
export function buildSnapshot({ flags, cohorts, groupTypes }: FlagSnapshotSource, last?: PreparedFlags): FlagSnapshot {
  const prepared = prepareFlags(
    { flags: flags.map(toFlagDefinition), cohorts: cohorts.map(toCohortDefinition), groupTypes },
    last,
  );
  return {
    flags,
    cohorts,
    prepared,
    groupTypeIndexes: new Map([...groupTypes].map(([index, name]) => [name, index])),
    continuityKeys: continuityKeys(prepared),
    keysByRuntime: findKeysByRuntime(prepared),
  };
}

/** What the evaluator must know of a flag. */
export const toFlagDefinition = (flag: FeatureFlag): FlagDefinition => ({
  id: flag.id,
  key: flag.key,
  active: flag.active,
  version: flag.version,
  filters: flag.filters,
  ensureExperienceContinuity: flag.ensureExperienceContinuity,
  evaluationRuntime: flag.evaluationRuntime,
  bucketingIdentifier: flag.bucketingIdentifier,
});

export const toCohortDefinition = ({ id, isStatic, filters, groups }: Cohort): CohortDefinition => ({
  id,
  isStatic,
  filters,
  groups,
});

const definitionsIn = (flags: PreparedFlags['flags']): FlagDefinition[] =>
  flags.map(({ compiled }) => compiled.definition);

/** Groups do not log in. */
const continuityKeys = ({ flags }: PreparedFlags): string[] =>
  definitionsIn(flags)
    .filter(({ ensureExperienceContinuity, filters }) => {
      const { aggregation_group_type_index: groupType = null } = isJsonObject(filters) ? filters : {};
      return ensureExperienceContinuity && groupType === null;
    })
    .map(({ key }) => key);

function findKeysByRuntime({ flags }: PreparedFlags): FlagSnapshot['keysByRuntime'] {
  const to = (runtime: CallerRuntime): ReadonlySet<string> | undefined => {
    const open = definitionsIn(flags).filter(({ evaluationRuntime }) => ['all', runtime].includes(evaluationRuntime));
    return open.length === flags.length ? undefined : new Set(open.map(({ key }) => key));
  };
  return { client: to('client'), server: to('server'), unknown: to('unknown'), any: undefined };
}
