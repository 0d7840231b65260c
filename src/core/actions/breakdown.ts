import { isNumericSessionProperty } from '../web/session-properties.ts';

/** What a number is broken down by. */
export type Breakdown = PropertyBreakdown | CohortBreakdown;

export interface PropertyBreakdown {
  kind: 'property';
  /**
   * `session`: the event's session (see `core/web/session-properties.ts`). `hogql`: the keys are expressions (see
   * `core/expressions`).
   */
  owner: 'event' | 'person' | 'group' | 'session' | 'hogql';
  groupIndex: number | null;
  /** Trends use one; funnels and retention combine several. */
  keys: readonly string[];
  /** Values are shown largest first: how many, and how many to skip. */
  limit: number;
  offset: number;
  /** URLs that differ only in a trailing slash, `?` or `#` are the same value. */
  isUrl: boolean;
  /** The number of bins that numeric values are put into, each with about the same number of events. */
  bins: number | null;
}

export interface CohortBreakdown {
  kind: 'cohort';
  cohorts: readonly BreakdownCohort[];
}

export interface BreakdownCohort {
  id: number | 'all';
  name: string;
}

/** One value of a breakdown: the part of a number whose persons are listed. */
export type BreakdownSelection =
  | { kind: 'value'; breakdown: PropertyBreakdown; value: string }
  | { kind: 'bin'; breakdown: PropertyBreakdown; from: number; until: number }
  | { kind: 'cohort'; id: number | 'all' };

/** Whether the values are numbers of sessions, such as their lengths, which are shown in the order of their size. */
export const isBySessionNumber = ({ owner, keys }: PropertyBreakdown): boolean =>
  owner === 'session' && keys.length === 1 && isNumericSessionProperty(keys[0] ?? '');
