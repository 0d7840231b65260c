import type { Check, EvaluationRun } from './check.ts';
import type { PatternCache } from './pattern.ts';

/** Shared by definitions that are compiled together: each pattern and each check is compiled once. */
export interface CompileCache {
  patterns: PatternCache;
  checks: Map<string, SharedCheck>;
}

export const newCompileCache = (): CompileCache => ({ patterns: new Map(), checks: new Map() });

/**
 * A check that several flags of a project have, such as 'plan is …'. It runs once per evaluation, however many flags use
 * it. The result is not cached for checks of one flag only, where that would cost more than it saves.
 */
class SharedCheck {
  readonly check: Check;
  #isShared = false;
  #lastRun: EvaluationRun | null = null;
  #lastResult = false;

  constructor(check: Check) {
    this.check = (run) => {
      if (!this.#isShared) return check(run);
      if (this.#lastRun !== run) {
        this.#lastResult = check(run);
        this.#lastRun = run;
      }
      return this.#lastResult;
    };
  }

  share(): Check {
    this.#isShared = true;
    return this.check;
  }
}

/** For checks on the subject alone. Checks with the same `name` do the same. */
export function shareCheck({ checks }: CompileCache, name: string, make: () => Check): Check {
  const known = checks.get(name);
  if (known !== undefined) return known.share();
  const made = new SharedCheck(make());
  checks.set(name, made);
  return made.check;
}
