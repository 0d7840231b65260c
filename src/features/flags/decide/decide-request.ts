import type { JsonObject } from '../../../core/json/json.ts';
import type { SubjectProperties } from '../rules/subject.ts';
import type { CallerRuntime } from './flag-snapshots.ts';

/** Whose flags are requested, and what the caller says about them. */
export interface DecideRequest {
  distinctId: string;
  /** The anonymous id they had before they logged in. */
  anonDistinctId: string | null;
  /** For flags that are bucketed by device. */
  deviceId: string | null;
  /** These override stored ones, key by key. */
  personProperties: SubjectProperties;
  /** Group type → key. Types that the project does not have are ignored. */
  groups: ReadonlyMap<string, string>;
  groupProperties: ReadonlyMap<string, SubjectProperties>;
  /** Only these flags; null for all. */
  flagKeys: ReadonlySet<string> | null;
  /**
   * `$geoip_…` of the request's address, which override stored ones too. Called only if a flag depends on them; null where
   * the address does not count.
   */
  place: (() => JsonObject | null) | null;
  /** Where the caller runs. Called only if a flag depends on it. */
  runtime(): CallerRuntime;
}

/** A request with defaults for everything but the distinct id. */
export const requestFor = (distinctId: string, more: Partial<DecideRequest> = {}): DecideRequest => ({
  distinctId,
  anonDistinctId: null,
  deviceId: null,
  personProperties: {},
  groups: new Map(),
  groupProperties: new Map(),
  flagKeys: null,
  place: null,
  runtime: () => 'unknown',
  ...more,
});
