/**
 * Flag definitions in memory, ready to evaluate: one immutable snapshot per project, read when it is first needed.
 * Whoever changes a flag or a cohort calls `invalidate` before answering, so that the next request sees the change.
 */
import { Failure } from '../../../core/errors.ts';
import type { EvaluationRuntime } from '../../../core/flag-options.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { prepareFlags } from '../rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../rules/compile/prepared-flags.ts';
import type { CohortDefinition, FlagDefinition } from '../rules/flag.ts';

export interface FlagSnapshot {
  /** Newest first, inactive ones included, without deleted ones. */
  flags: readonly FeatureFlag[];
  cohorts: readonly Cohort[];
  /** Ids of the flags that an experiment runs on. */
  measuredFlags: ReadonlySet<number>;
  prepared: PreparedFlags;
  /** Name of a group type → its index. */
  groupTypeIndexes: ReadonlyMap<string, number>;
  /** Keys of the active flags with experience continuity. */
  continuityKeys: readonly string[];
  /** Keys of the flags for each kind of caller; undefined: all flags. */
  keysByRuntime: Readonly<Record<CallerRuntime, ReadonlySet<string> | undefined>>;
}

/** Where a caller runs, if known. `any` is for people who look at flags, and see all of them. */
export type CallerRuntime = Exclude<EvaluationRuntime, 'all'> | 'unknown' | 'any';

/** Experiments are a feature of their own, and a store may be opened without features. */
type SnapshotStore = Pick<MetadataStore, 'flags' | 'cohorts' | 'subjects'> &
  Partial<Pick<MetadataStore, 'experiments'>>;

const CACHE_SIZE = 1000;
/** How long a store that was unavailable is not asked again. */
const RETRY_DELAY_MS = 1000;

const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.kind === 'unavailable';

export class FlagSnapshots {
  readonly #metadata: SnapshotStore;
  readonly #reads = new Map<number, Promise<FlagSnapshot>>();
  /** The results of those reads, for callers that do not wait. */
  readonly #ready = new Map<number, FlagSnapshot>();
  /** The last snapshot of each project: its compiled flags are reused, and it is the fallback if the store fails. */
  readonly #last = new Map<number, FlagSnapshot>();
  #unavailableUntil = 0;
  /** Called with the project that may have changed; null: any of them. */
  onInvalidate: (projectId: number | null) => void = () => undefined;

  constructor(metadata: SnapshotStore) {
    this.#metadata = metadata;
  }

  get(projectId: number): Promise<FlagSnapshot> {
    const running = this.#reads.get(projectId);
    if (running !== undefined) return running;
    const last = this.#last.get(projectId);
    if (last !== undefined && performance.now() < this.#unavailableUntil) return Promise.resolve(last);
    const read = this.read(projectId);
    if (this.#reads.size >= CACHE_SIZE) this.#evictOldest();
    // An invalidation removes a running read from the map, so that later callers start another.
    this.#reads.set(projectId, read);
    const isCurrent = (): boolean => this.#reads.get(projectId) === read;
    read.then(
      (snapshot) => isCurrent() && this.#store(projectId, snapshot),
      () => isCurrent() && this.#forget(projectId),
    );
    return last === undefined ? read : this.#orLast(read, last);
  }

  async #orLast(read: Promise<FlagSnapshot>, last: FlagSnapshot): Promise<FlagSnapshot> {
    try {
      return await read;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#unavailableUntil = performance.now() + RETRY_DELAY_MS;
      return last;
    }
  }

  /** Undefined where `get` has to read it. */
  cached(projectId: number): FlagSnapshot | undefined {
    return this.#ready.get(projectId);
  }

  invalidate(projectId: number): void {
    this.#forget(projectId);
    this.onInvalidate(projectId);
  }

  invalidateAll(): void {
    this.#reads.clear();
    this.#ready.clear();
    this.onInvalidate(null);
  }

  #forget(projectId: number): void {
    this.#reads.delete(projectId);
    this.#ready.delete(projectId);
  }

  #evictOldest(): void {
    const [oldest] = this.#reads.keys();
    if (oldest === undefined) return;
    this.#forget(oldest);
    this.#last.delete(oldest);
  }

  /** Anew, from the given store. */
  async read(projectId: number, store: SnapshotStore = this.#metadata): Promise<FlagSnapshot> {
    const { flags: flagStore, cohorts: cohortStore, subjects, experiments } = store;
    const flags = await flagStore.listByProject(projectId);
    const cohorts = await cohortStore.listByProject(projectId);
    const groupTypes = await subjects.listGroupTypes(projectId);
    const running = ((await experiments?.listByProject(projectId)) ?? []).filter(isRunning);
    const measuredFlags = new Set(running.map(({ flagId }) => flagId));
    return buildSnapshot({ flags, cohorts, groupTypes, measuredFlags }, this.#last.get(projectId)?.prepared);
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
  measuredFlags?: ReadonlySet<number>;
}

type StoredExperiment = Awaited<ReturnType<MetadataStore['experiments']['listByProject']>>[number];

/** Launched and not ended; one that waits for its start is not launched yet. */
const isRunning = ({ startDate, endDate, settings }: StoredExperiment): boolean =>
  startDate !== null && endDate === null && settings['scheduled_start'] !== true;

const NO_FLAGS: ReadonlySet<number> = new Set();

/** Compiled flags of `last` that have not changed are reused. */
export function buildSnapshot(source: FlagSnapshotSource, last?: PreparedFlags): FlagSnapshot {
  const { flags, cohorts, groupTypes, measuredFlags = NO_FLAGS } = source;
  const prepared = prepareFlags(
    {
      flags: flags.map((flag) => ({ ...toFlagDefinition(flag), hasExperiment: measuredFlags.has(flag.id) })),
      cohorts: cohorts.map(toCohortDefinition),
      groupTypes,
    },
    last,
  );
  return {
    flags,
    cohorts,
    measuredFlags,
    prepared,
    groupTypeIndexes: new Map([...groupTypes].map(([index, name]) => [name, index])),
    continuityKeys: continuityKeys(prepared),
    keysByRuntime: findKeysByRuntime(prepared),
  };
}

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

/** Flags for groups are left out: groups do not log in. */
const continuityKeys = ({ flags }: PreparedFlags): string[] =>
  definitionsIn(flags)
    .filter(({ ensureExperienceContinuity, filters }) => {
      const { aggregation_group_type_index: groupType = null } = isJsonObject(filters) ? filters : {};
      return ensureExperienceContinuity && groupType === null;
    })
    .map(({ key }) => key);

function findKeysByRuntime({ flags }: PreparedFlags): FlagSnapshot['keysByRuntime'] {
  const to = (runtime: CallerRuntime): ReadonlySet<string> | undefined => {
    const visible = definitionsIn(flags).filter(({ evaluationRuntime }) =>
      ['all', runtime].includes(evaluationRuntime),
    );
    return visible.length === flags.length ? undefined : new Set(visible.map(({ key }) => key));
  };
  return { client: to('client'), server: to('server'), unknown: to('unknown'), any: undefined };
}
