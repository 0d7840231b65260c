import type { SubjectProperties } from '../rules/subject.ts';
import type { CallerRuntime } from './flag-snapshots.ts';

/** Whose flags are asked for, and what the caller says about them. */
export interface DecideRequest {
  distinctId: string;
  /** Who they were before they logged in, where the caller says so. */
  anonDistinctId: string | null;
  /** For flags that bucket by device. */
  deviceId: string | null;
  /** These win over stored ones, key by key. */
  personProperties: SubjectProperties;
  /** Kind of group → key. Kinds that the project does not know are passed over. */
  groups: ReadonlyMap<string, string>;
  groupProperties: ReadonlyMap<string, SubjectProperties>;
  /** Only these flags; null for all. */
  flagKeys: ReadonlySet<string> | null;
  /** Where the caller runs. Asked only where a flag cares. */
  runtime(): CallerRuntime;
}

/** A request about somebody, with nothing else said: a start for others. */
export const requestFor = (distinctId: string, more: Partial<DecideRequest> = {}): DecideRequest => ({
  distinctId,
  anonDistinctId: null,
  deviceId: null,
  personProperties: {},
  groups: new Map(),
  groupProperties: new Map(),
  flagKeys: null,
  runtime: () => 'unknown',
  ...more,
});
