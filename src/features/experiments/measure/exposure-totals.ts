import {
  type ExposureAnswer,
  type ExposureQuestion,
  exposureValue,
  exposureVariant,
} from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import { IntervalStarts } from './interval-starts.ts';

/** First exposures by variant, day, phase of the split, and part. */
export class ExposureTotals {
  readonly #question: ExposureQuestion;
  readonly #dayStarts: IntervalStarts;
  /** Counts by variant are arrays: there may be millions of exposures. */
  readonly #days = new Map<number, number[]>();
  readonly #phases: number[][];
  readonly #parts = new Map<number, number[]>();
  #several = 0;
  #sameId = 0;

  constructor(question: ExposureQuestion) {
    this.#question = question;
    this.#dayStarts = new IntervalStarts('day', question.timezone);
    this.#phases = (question.phaseStarts ?? []).map(() => this.#noCounts());
  }

  #noCounts = (): number[] => this.#question.variants.map(() => 0);

  /** Those who met several variants, if it is known under how many distinct ids. */
  get multiple(): ExposureAnswer['multiple'] {
    return { sameId: this.#sameId, mergedIds: this.#several - this.#sameId };
  }

  add({ actors, since, code, several }: ActorExposures): void {
    for (let actor = 0; actor < actors; actor++) {
      if (several[actor] !== 0) this.#several++;
      if (several[actor] === 2) this.#sameId++;
      const [at, own] = [since[actor] as number, code[actor] as number];
      if (own === 0) continue;
      const variant = exposureVariant(own);
      (this.#countsIn(this.#days, this.#dayStarts.of(at))[variant] as number)++;
      (this.#countsIn(this.#parts, exposureValue(own))[variant] as number)++;
      const phase = this.#phases[this.#phaseOf(at)];
      if (phase !== undefined) (phase[variant] as number)++;
    }
  }

  #countsIn(counts: Map<number, number[]>, key: number): number[] {
    const known = counts.get(key);
    if (known !== undefined) return known;
    const none = this.#noCounts();
    counts.set(key, none);
    return none;
  }

  #phaseOf(time: number): number {
    const starts = this.#question.phaseStarts ?? [];
    let phase = starts.length - 1;
    while (phase > 0 && time < (starts[phase] as number)) phase--;
    return phase;
  }

  counts(): Pick<ExposureAnswer, 'byVariant' | 'days' | 'phases' | 'parts'> {
    const { variants } = this.#question;
    const named = (counts: readonly number[]): Record<string, number> =>
      Object.fromEntries(variants.map((variant, at) => [variant, counts[at] ?? 0]));
    const all = this.#noCounts();
    for (const counts of this.#days.values()) for (const [at, count] of counts.entries()) (all[at] as number) += count;
    const days = [...this.#days]
      .flatMap(([day, counts]) => counts.map((count, at) => ({ day, variant: variants[at] ?? '', count })))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.day - b.day || (a.variant < b.variant ? -1 : 1));
    return {
      byVariant: named(all),
      days,
      phases: this.#phases.map(named),
      parts: Object.fromEntries(Array.from(this.#parts, ([part, counts]) => [part, named(counts)])),
    };
  }
}
