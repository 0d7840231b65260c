import type { EncodedKey } from '../bucket.ts';
import type { CohortCheck, Inputs } from './check.ts';
import type { CompiledCohort } from './compile-cohort.ts';
import type { CompiledFilters, CompiledFlag } from './compile-flag.ts';
import type { FlagOutcomes } from './outcomes.ts';

/** What must be read before the flags can be evaluated; what nobody asks for need not be read. */
export interface Needs {
  /** Keys of the person properties that are compared with something. None: the stored person need not be read. */
  personProperties: ReadonlySet<string>;
  /** Indexes of the group types that a flag looks at. */
  groupTypes: ReadonlySet<number>;
  staticCohorts: ReadonlySet<number>;
  /** Whether an active flag keeps its value when a person is identified: then overrides are needed. */
  hasContinuity: boolean;
}

/** A flag that is ready to be evaluated. What every evaluation reads lies here in one piece. */
export interface PreparedFlag extends Omit<CompiledFilters, 'payloads'> {
  key: string;
  outcomes: FlagOutcomes;
  /** What is wrong with it, in itself or among the others. */
  failure: string | null;
  /** Before the identifier, in what is hashed. */
  prefix: EncodedKey;
  bucketsByDevice: boolean;
  hasContinuity: boolean;
  /** What it was made of, to be used again. */
  compiled: CompiledFlag;
  /** Its place in `PreparedFlags.flags`. */
  slot: number;
  /** The slots of the active flags that it depends on, itself or through cohorts. */
  dependsOn: readonly number[];
}

/** A cohort, and what it asks for, nested ones included. */
export interface PreparedCohort extends CohortCheck {
  compiled: CompiledCohort;
  inputs: Inputs;
}

/** All flags of a project, ready to be evaluated. Unchangeable: a changed definition makes a new one. */
export interface PreparedFlags {
  /** The active ones, in the order of their definitions. */
  flags: readonly PreparedFlag[];
  byKey: ReadonlyMap<string, PreparedFlag>;
  /** The same flags, each after those that it depends on. */
  order: readonly PreparedFlag[];
  /** Id of a flag → its slot; -1 for those that are not active, which count as off. */
  slots: ReadonlyMap<number, number>;
  cohorts: ReadonlyMap<number, PreparedCohort>;
  groupTypes: ReadonlyMap<number, string>;
  needs: Needs;
}
