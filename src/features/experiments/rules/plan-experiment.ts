/** How many people an experiment needs, from how the metric was lately. */
import { type ArmSums, armOf } from '../../../core/experiments/arm.ts';
import { detectableEffect, sampleSize } from '../../../core/experiments/power.ts';
import type { ArrivalCurve } from './arrival-curve.ts';

export interface PlanInput {
  mdeRelative: number;
  power: number;
  alpha: number;
  /** Variants beside the baseline. */
  comparisons: number;
  stopping: 'sequential' | 'fixed';
  minDays: number;
  maxDays: number;
  /** The share of all people that takes part, 0 to 1. */
  rollout: number;
  /** How long after the first exposure values still count, in days. */
  windowDays: number;
}

/** What was seen in the days before. */
interface History {
  sums: ArmSums | null;
  isBinary: boolean;
  /** How many have a value other than 0. */
  nonZero: number;
  curve: ArrivalCurve;
}

export interface ExperimentPlan {
  /** Who would have been part of it with a rollout to all. */
  users: number;
  /** New ones, lately, by the rollout. */
  usersPerDay: number;
  mean: number | null;
  /** In all variants together; null: no number is enough, or nothing is known. */
  plannedUsers: number | null;
  /** Whole weeks. */
  days: number | null;
  /** The smallest change that the longest run can show. */
  detectable: number | null;
  sentence: string;
}

/** Changes that a slider offers. */
export const MDE_STEPS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1] as const;

const WEEK = 7;
const DEFAULT_TUNING = 5000;

export function planExperiment(input: PlanInput, { sums, isBinary, nonZero, curve }: History): ExperimentPlan {
  const users = sums?.n ?? 0;
  const usersPerDay = curve.newPerDay * input.rollout;
  const nothing = { users, usersPerDay, mean: null, plannedUsers: null, days: null, detectable: null };
  if (sums === null || users < 2)
    return { ...nothing, sentence: 'Too few people to plan with: no history to learn from yet.' };
  const { mean, variance } = armOf(sums);
  if (!(mean !== 0) || !Number.isFinite(mean) || variance === 0)
    return { ...nothing, sentence: 'This metric was the same for everyone lately, so there is nothing to plan with.' };
  const variants = input.comparisons + 1;
  const stopping = {
    alpha: input.alpha,
    comparisons: input.comparisons,
    tuningN: input.stopping === 'sequential' ? DEFAULT_TUNING : null,
  };
  // Where nearly everybody has a value, an effect can only be in the values.
  const growsByPeople = isBinary || (sums.kind === 'mean' && nonZero * (1 + input.mdeRelative) <= users);
  const size = sampleSize({
    ...stopping,
    baseline: { mean, variance, growsByPeople },
    mdeRelative: input.mdeRelative,
    power: input.power,
    treatmentPerControl: 1,
  });
  const exposureDays = Math.max(0, input.maxDays - input.windowDays);
  const each = Math.floor((curve.peopleIn(exposureDays) * input.rollout) / variants);
  const detectable = detectableEffect(
    stopping,
    { mean, variance },
    { control: each, treatment: each, power: input.power },
  );
  const plannedUsers = size === null ? null : size.control * variants;
  const days = plannedUsers === null ? null : daysFor(plannedUsers, input, curve);
  const known = { users, usersPerDay, mean, plannedUsers, days, detectable };
  return { ...known, sentence: sentenceOf(input, known) };
}

/** Null: so many people never come. */
function daysFor(people: number, { rollout, windowDays, minDays }: PlanInput, curve: ArrivalCurve): number | null {
  const exposed = rollout > 0 ? curve.daysUntil(people / rollout) : null;
  return exposed === null ? null : wholeWeeks(Math.max(minDays, exposed + windowDays));
}

const wholeWeeks = (days: number): number => Math.ceil(days / WEEK) * WEEK;
const percent = (share: number): string => `${(100 * share).toPrecision(3).replace(/\.?0+$/, '')} %`;

function sentenceOf({ mdeRelative, maxDays }: PlanInput, plan: Omit<ExperimentPlan, 'sentence'>): string {
  const { plannedUsers, days, detectable } = plan;
  if (plannedUsers !== null && days !== null && days <= maxDays)
    return `To find a change of ${percent(mdeRelative)}: ${plannedUsers.toLocaleString('en')} people, at least ${days} days.`;
  const shown = detectable === null ? '' : ` In ${maxDays} days it can show ${percent(detectable)}.`;
  return `This traffic cannot show a change of ${percent(mdeRelative)} in ${maxDays} days.${shown}`;
}
