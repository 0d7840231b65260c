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
  /** Day and variant → count, and so on; keys are numbers, since there may be millions. */
  readonly #days = new Map<number, Map<number, number>>();
  readonly #phases: Map<number, number>[];
  readonly #parts = new Map<number, Map<number, number>>();
  #several = 0;
  #sameId = 0;

  constructor(question: ExposureQuestion) {
    this.#question = question;
    this.#dayStarts = new IntervalStarts('day', question.timezone);
    this.#phases = (question.phaseStarts ?? []).map(() => new Map());
  }

  /** Those who met several variants, if it is known under how many distinct ids. */
  get multiple(): ExposureAnswer['multiple'] {
    return { sameId: this.#sameId, mergedIds: this.#several - this.#sameId };
  }

  add({ actors, since, code, several }: ActorExposures): void {
    for (let actor = 0; actor < actors; actor++) {
      if (several[actor] !== 0) this.#several++;
      if (several[actor] === 2) this.#sameId++;
      const at = since[actor] as number;
      if (Number.isNaN(at)) continue;
      const own = code[actor] as number;
      const variant = exposureVariant(own);
      addOne(mapIn(this.#days, this.#dayStarts.of(at)), variant);
      addOne(mapIn(this.#parts, exposureValue(own)), variant);
      const phase = this.#phases[this.#phaseOf(at)];
      if (phase !== undefined) addOne(phase, variant);
    }
  }

  #phaseOf(time: number): number {
    const starts = this.#question.phaseStarts ?? [];
    let phase = starts.length - 1;
    while (phase > 0 && time < (starts[phase] as number)) phase--;
    return phase;
  }

  counts(): Pick<ExposureAnswer, 'byVariant' | 'days' | 'phases' | 'parts'> {
    const { variants } = this.#question;
    const named = (counts: ReadonlyMap<number, number>): Record<string, number> =>
      Object.fromEntries(variants.map((variant, at) => [variant, counts.get(at) ?? 0]));
    const all = new Map<number, number>();
    for (const counts of this.#days.values())
      for (const [variant, count] of counts) all.set(variant, (all.get(variant) ?? 0) + count);
    const days = [...this.#days]
      .flatMap(([day, counts]) =>
        Array.from(counts, ([variant, count]) => ({ day, variant: variants[variant] ?? '', count })),
      )
      .sort((a, b) => a.day - b.day || (a.variant < b.variant ? -1 : 1));
    return {
      byVariant: named(all),
      days,
      phases: this.#phases.map(named),
      parts: Object.fromEntries(Array.from(this.#parts, ([part, counts]) => [part, named(counts)])),
    };
  }
}

function mapIn(maps: Map<number, Map<number, number>>, key: number): Map<number, number> {
  const known = maps.get(key) ?? new Map<number, number>();
  maps.set(key, known);
  return known;
}

const addOne = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};
