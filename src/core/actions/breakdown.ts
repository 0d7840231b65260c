/** By what a number is divided. */
export type Breakdown = PropertyBreakdown | CohortBreakdown;

export interface PropertyBreakdown {
  kind: 'property';
  /** `session`: how long the event's session lasted, in seconds; the only property that sessions have. */
  owner: 'event' | 'person' | 'group' | 'session';
  groupIndex: number | null;
  /** Trends take one; funnels and retention take several together. */
  keys: readonly string[];
  /** How many values are shown, the largest first, and from the how-manyth on. */
  limit: number;
  offset: number;
  /** Addresses that differ only in a trailing slash, `?` or `#` are one. */
  isUrl: boolean;
  /** Numbers are put into this many bins of about as many events each. */
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

/** One value of a breakdown: what the number that was followed had been divided into. */
export type BreakdownSelection =
  | { kind: 'value'; breakdown: PropertyBreakdown; value: string }
  | { kind: 'bin'; breakdown: PropertyBreakdown; from: number; until: number }
  | { kind: 'cohort'; id: number | 'all' };
