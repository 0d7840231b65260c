/** What the engine counts, before it is presented. */
import type { VitalName } from '../../../core/web/web-vitals.ts';

interface SessionNumbers {
  sessions: number;
  visitors: number;
  bounces: number;
  /** The sum of their durations. */
  seconds: number;
}

interface WebTotals extends SessionNumbers {
  views: number;
  /** Persons with a view in the period, by the view's own time. */
  viewers: number;
  newVisitors: number;
}

/** By interval; numbers that nobody caused are 0. */
export interface WebSeries {
  visitors: number[];
  views: number[];
  sessions: number[];
  bounces: number[];
  seconds: number[];
}

export interface WebRow {
  value: string;
  visitors: number;
  /** Null in the table of pages, whose rows are views. */
  sessions: number | null;
  views: number | null;
  bounces: number | null;
  seconds: number | null;
  /** Only where pages are looked at in detail. */
  engagement?: PageEngagement;
}

/** How a page is read. Null: cannot be said. */
export interface PageEngagement {
  /** Sessions that ended there. */
  exits: number;
  /** Seconds, on average. */
  timeOnPage: number | null;
  /** How much of it was seen, from 0 to 1, on average. */
  scrollDepth: number | null;
}

export interface WebTable {
  rows: WebRow[];
  /** The number of all values. */
  total: number;
}

export interface GoalNumbers {
  id: string;
  conversions: number;
  converters: number;
}

export interface LeftOut {
  bots: number;
  own: number;
  hidden: number;
}

/** A value of a page, of which at least some loads told it. */
export interface PageVital {
  path: string;
  p75: number;
  n: number;
}

/** `pages`: those where it is worst, the worst first. */
export type VitalNumbers = Record<VitalName, { p75: number | null; n: number; pages: PageVital[] }>;

export interface PeriodAnswer {
  totals: WebTotals;
  series: WebSeries;
}

export interface WebSession {
  session: string;
  person: string;
  /** Ms UTC. */
  started: number;
  ended: number;
  seconds: number;
  views: number;
  isBounce: boolean;
  values: Readonly<Record<string, string>>;
}
