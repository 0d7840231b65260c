import type { EncodedKey } from '../bucket.ts';
import type { CohortCheck, Inputs } from './check.ts';
import type { CompiledCohort } from './compile-cohort.ts';
import type { CompiledFilters, CompiledFlag } from './compile-flag.ts';
import type { FlagOutcomes } from './outcomes.ts';

/** What has to be read before the flags can be evaluated. */
export interface Needs {
  /** Keys of the person properties that conditions compare. If empty, the stored person need not be read. */
  personProperties: ReadonlySet<string>;
  /** Indexes of the group types that conditions use. */
  groupTypes: ReadonlySet<number>;
  staticCohorts: ReadonlySet<number>;
  /** Whether an active flag has experience continuity, which needs the overrides. */
  hasContinuity: boolean;
  /** Whether a condition compares where the person is, `$geoip_…`. */
  hasPlace: boolean;
  /** Whether a condition has a date relative to now. */
  hasRelativeDates: boolean;
}

/** A flag that is ready to evaluate. What each evaluation reads is in this one object. */
export interface PreparedFlag extends Omit<CompiledFilters, 'payloads'> {
  key: string;
  outcomes: FlagOutcomes;
  /** Why it cannot be evaluated: its own definition, or a dependency. */
  failure: string | null;
  /** What is hashed before the identifier. */
  prefix: EncodedKey;
  bucketsByDevice: boolean;
  hasContinuity: boolean;
  /** For reuse in the next snapshot. */
  compiled: CompiledFlag;
  /** Its index in `PreparedFlags.flags`. */
  slot: number;
  /** The slots of the active flags that it depends on, directly or through cohorts. */
  dependsOn: readonly number[];
}

/** A cohort, and what it reads, nested cohorts included. */
export interface PreparedCohort extends CohortCheck {
  compiled: CompiledCohort;
  inputs: Inputs;
}

/** All flags of a project, ready to evaluate. Immutable. */
export interface PreparedFlags {
  /** The active ones, in the order of their definitions. */
  flags: readonly PreparedFlag[];
  byKey: ReadonlyMap<string, PreparedFlag>;
  /** In dependency order: each flag after those that it depends on. */
  order: readonly PreparedFlag[];
  /** Id of a flag → its slot; -1 for inactive flags, which count as off. */
  slots: ReadonlyMap<number, number>;
  cohorts: ReadonlyMap<number, PreparedCohort>;
  groupTypes: ReadonlyMap<number, string>;
  needs: Needs;
}
