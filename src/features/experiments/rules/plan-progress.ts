/** How far an experiment is on the way to its plan: what it can show by now, and how long it still takes. */
import { normalQuantile } from '../../../core/experiments/distributions.ts';
import { detectableNow, powerAfter } from '../../../core/experiments/power.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { ExposureAnswer } from './experiment-question.ts';
import type { DecisionSettings } from './read-settings.ts';

/** One variant and the baseline, by one metric. */
export interface ComparedVariant {
  n: number;
  standardError: number;
  baselineMean: number;
}

export interface ProgressInput {
  settings: DecisionSettings;
  users: number;
  days: ExposureAnswer['days'];
  /** How long a value is open after the exposure. */
  windowMs: number;
  /** By the metric that decides. */
  compared: readonly ComparedVariant[];
  startedAt: number;
  endedAt: number | null;
  now: number;
  /** The start of the current day in the project's time zone. */
  today: number;
}

/** What the people of now can show; null where nothing is known about a metric yet. */
export interface Sensitivity {
  /** The chance to have found the planned change with the people of now. */
  powerNow: number | null;
  /** The smallest change that the people of now can show. */
  mdeNow: number | null;
}

export interface PlanProgress extends Sensitivity {
  /** Null: it has ended, or there is no planned number of people, or no one is exposed. */
  daysLeft: number | null;
}

const RECENT_DAYS = 7;
const WEEK = 7;

export const planProgress = (input: ProgressInput): PlanProgress => ({
  daysLeft: daysLeft(input),
  ...sensitivityOf(input.settings, input.compared),
});

/** Of a metric, by these variants; the one of which least is known decides. */
export function sensitivityOf(
  { analysis: { alpha, tuningN }, stopping: kind, plan }: DecisionSettings,
  compared: readonly ComparedVariant[],
  comparisons = compared.length,
): Sensitivity {
  const stopping = {
    alpha,
    comparisons: Math.max(1, comparisons),
    tuningN: kind === 'sequential' ? tuningN : null,
  };
  const known = compared.filter(({ standardError, baselineMean }) => standardError > 0 && baselineMean !== 0);
  const powers = known.map(({ baselineMean, ...difference }) =>
    powerAfter(stopping, { ...difference, effect: plan.mdeRelative * baselineMean }, 0),
  );
  const effects = known.map((one) => detectableNow(stopping, one, one.baselineMean, plan.power));
  return {
    powerNow: powers.length === 0 ? null : Math.min(...powers),
    mdeNow: effects.length === 0 ? null : Math.max(...effects),
  };
}

/** Whole weeks in all, so that every day of the week counts the same. */
function daysLeft(input: ProgressInput): number | null {
  const { settings, users, windowMs, startedAt, endedAt, now } = input;
  const { plannedUsers, minDays } = settings.plan;
  const perDay = exposuresPerDay(input);
  if (endedAt !== null || plannedUsers === null || perDay === 0) return null;
  const passed = Math.max(0, now - startedAt) / DAY_MS;
  const missing = Math.max(0, plannedUsers - users) / perDay;
  if (missing === 0 && passed >= minDays) return 0;
  const whole = Math.max(minDays, passed + missing + windowMs / DAY_MS);
  return Math.max(0, Math.ceil(Math.ceil(whole / WEEK) * WEEK - passed));
}

/** First exposures in the last full days; before there is one, since the start. */
function exposuresPerDay({ days, users, startedAt, now, today }: ProgressInput): number {
  const from = Math.max(startedAt, today - RECENT_DAYS * DAY_MS);
  const full = Math.round((today - from) / DAY_MS);
  if (full < 1) return users / Math.max(1, (now - startedAt) / DAY_MS);
  const counted = days.reduce((sum, { day, count }) => sum + (day >= from && day < today ? count : 0), 0);
  return counted / full;
}

/** The planned change would have been found with this chance, so where it was not, it is hardly there. */
export const VERY_LIKELY = 0.8;

/** So many standard errors apart, what people did before differs more than chance allows. */
export const PAST_DIFFERS_ABOVE = normalQuantile(1 - 0.001 / 2);
