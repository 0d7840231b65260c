/** How many people an experiment needs, from how the metric was lately. */
import { type ArmSums, armOf } from '../../../core/experiments/arm.ts';
import { detectableEffect, sampleSize } from '../../../core/experiments/power.ts';

export interface PlanInput {
  mdeRelative: number;
  power: number;
  alpha: number;
  /** Variants beside the baseline. */
  comparisons: number;
  stopping: 'sequential' | 'fixed';
  minDays: number;
  maxDays: number;
}

/** What was seen in the days before. */
interface History {
  sums: ArmSums | null;
  isBinary: boolean;
  /** How many have a value other than 0. */
  nonZero: number;
  days: number;
}

export interface ExperimentPlan {
  /** Who would have been part of it. */
  users: number;
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

export function planExperiment(input: PlanInput, { sums, isBinary, nonZero, days: seen }: History): ExperimentPlan {
  const users = sums?.n ?? 0;
  const nothing = { users, usersPerDay: users / seen, mean: null, plannedUsers: null, days: null, detectable: null };
  if (sums === null || users < 2)
    return { ...nothing, sentence: 'Too few people to plan with: no history to learn from yet.' };
  const { mean, variance } = armOf(sums);
  if (!(mean !== 0) || !Number.isFinite(mean) || variance === 0)
    return { ...nothing, sentence: 'This metric was the same for everyone lately, so there is nothing to plan with.' };
  const usersPerDay = users / seen;
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
  const each = Math.floor((usersPerDay * input.maxDays) / variants);
  const detectable = detectableEffect(
    stopping,
    { mean, variance },
    { control: each, treatment: each, power: input.power },
  );
  const plannedUsers = size === null ? null : size.control * variants;
  const days = plannedUsers === null ? null : wholeWeeks(Math.max(input.minDays, plannedUsers / usersPerDay));
  const known = { users, usersPerDay, mean, plannedUsers, days, detectable };
  return { ...known, sentence: sentenceOf(input, known) };
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
