/** One go at a funnel, begun by one event. */
export interface FunnelAttempt {
  start: number;
  /** How many steps were done within the window. */
  depth: number;
  /** When each step was done, or null; in an unordered funnel: when the first, the second, … of them was done. */
  times: readonly (number | null)[];
}

export function bestDepth(attempts: readonly FunnelAttempt[]): number {
  let depth = 0;
  for (const attempt of attempts) if (attempt.depth > depth) depth = attempt.depth;
  return depth;
}

export function bestAttempts(attempts: readonly FunnelAttempt[]): FunnelAttempt[] {
  const depth = bestDepth(attempts);
  return attempts.filter((attempt) => attempt.depth === depth);
}
