import type { FlagDefinition } from './flag.ts';

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

/** A flag that is ready to be evaluated. */
export interface PreparedFlag {
  definition: FlagDefinition;
}

/** All flags of a project, ready to be evaluated. Unchangeable: a changed definition makes a new one. */
export interface PreparedFlags {
  /** The active ones, in the order of their definitions. */
  flags: readonly PreparedFlag[];
  groupTypes: ReadonlyMap<number, string>;
  needs: Needs;
}
