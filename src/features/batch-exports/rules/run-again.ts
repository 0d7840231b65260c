/** A run that is repeated, from the start: under the same id and the same names. */
interface RepeatableRun {
  status: string;
  attempts: number;
  claimedAt: number;
  failingSince: number | null;
  retryAt: number | null;
  error: string | null;
  manifest: string | null;
  finishedAt: number | null;
  updatedAt: number;
}

export const runAgain = <Run extends RepeatableRun>(run: Run, now: number): Run & { status: 'Starting' } => ({
  ...run,
  status: 'Starting',
  attempts: 0,
  claimedAt: now,
  failingSince: null,
  retryAt: null,
  error: null,
  manifest: null,
  finishedAt: null,
  updatedAt: now,
});
