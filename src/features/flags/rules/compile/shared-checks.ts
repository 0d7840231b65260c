import type { Check, EvaluationRun } from './check.ts';
import type { PatternCache } from './pattern.ts';

/** What definitions that are compiled together have in common. */
export interface CompileCache {
  patterns: PatternCache;
  checks: Map<string, SharedCheck>;
}

export const newCompileCache = (): CompileCache => ({ patterns: new Map(), checks: new Map() });

/**
 * A check that flags of one project have in common, as 'the plan is …' is. Whoever is asked about is looked at once in a
 * run, however many flags want to know. What is asked by one flag alone is not remembered, which costs more than it saves.
 */
class SharedCheck {
  readonly check: Check;
  #isShared = false;
  #asked: EvaluationRun | null = null;
  #answer = false;

  constructor(check: Check) {
    this.check = (run) => {
      if (!this.#isShared) return check(run);
      if (this.#asked !== run) {
        this.#answer = check(run);
        this.#asked = run;
      }
      return this.#answer;
    };
  }

  share(): Check {
    this.#isShared = true;
    return this.check;
  }
}

/** For checks that look at nothing but the subject. `name` says all that they do. */
export function shareCheck({ checks }: CompileCache, name: string, make: () => Check): Check {
  const known = checks.get(name);
  if (known !== undefined) return known.share();
  const made = new SharedCheck(make());
  checks.set(name, made);
  return made.check;
}
