import { nextIntervalStart, startOfInterval } from '../../../core/time/interval.ts';
import { HOUR_MS } from '../../../core/time/units.ts';
import {
  type ExposureAnswer,
  type ExposureQuestion,
  exposureValue,
  exposureVariant,
} from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';

interface DayCounts {
  readonly from: number;
  readonly until: number;
  /** By variant. */
  readonly counts: number[];
}

/** First exposures by variant, day, phase of the split, and part. */
export class ExposureTotals {
  readonly #question: ExposureQuestion;
  /** Those with an exposure. */
  readonly #days: DayCounts[] = [];
  /** The counts of the day that a whole hour of the range lies in: there are few hours, and millions of exposures. */
  readonly #hours: (number[] | undefined)[] = [];
  readonly #phases: number[][];
  /** By the number of the part; not all are there. */
  readonly #parts: (number[] | undefined)[] = [];
  #several = 0;
  #sameId = 0;

  constructor(question: ExposureQuestion) {
    this.#question = question;
    this.#phases = (question.phaseStarts ?? []).map(() => this.#noCounts());
  }

  #noCounts = (): number[] => this.#question.variants.map(() => 0);

  /** Those who met several variants, if it is known under how many distinct ids. */
  get multiple(): ExposureAnswer['multiple'] {
    return { sameId: this.#sameId, mergedIds: this.#several - this.#sameId };
  }

  add({ actors, since, code, several }: ActorExposures): void {
    const { from } = this.#question.range;
    const [hours, hasPhases] = [this.#hours, this.#phases.length > 0];
    let counted: number[] = [];
    let part = -1;
    for (let actor = 0; actor < actors; actor++) {
      if (several[actor] !== 0) this.#countSeveral(several[actor] === 2);
      const own = code[actor] as number;
      if (own === 0) continue;
      const at = since[actor] as number;
      const variant = exposureVariant(own);
      const ofDay = hours[Math.floor((at - from) / HOUR_MS)] ?? this.#countsOfDay(at);
      (ofDay[variant] as number)++;
      if (exposureValue(own) !== part) {
        part = exposureValue(own);
        counted = this.#countsOfPart(part);
      }
      (counted[variant] as number)++;
      if (hasPhases) this.#countPhase(at, variant);
    }
  }

  #countSeveral(isSameId: boolean): void {
    this.#several++;
    if (isSameId) this.#sameId++;
  }

  #countsOfDay(at: number): number[] {
    const { from } = this.#question.range;
    const day = this.#days.find((known) => isWithin(at, known)) ?? this.#addDay(at);
    const hour = Math.floor((at - from) / HOUR_MS);
    const begins = from + hour * HOUR_MS;
    // A day may begin within an hour.
    if (isWithin(begins, day) && isWithin(begins + HOUR_MS - 1, day)) this.#hours[hour] = day.counts;
    return day.counts;
  }

  #addDay(at: number): DayCounts {
    const { timezone } = this.#question;
    const from = startOfInterval(at, 'day', timezone);
    const day = { from, until: nextIntervalStart(from, 'day', timezone), counts: this.#noCounts() };
    this.#days.push(day);
    return day;
  }

  #countsOfPart(part: number): number[] {
    const known = this.#parts[part];
    if (known !== undefined) return known;
    const none = this.#noCounts();
    this.#parts[part] = none;
    return none;
  }

  #countPhase(time: number, variant: number): void {
    const starts = this.#question.phaseStarts ?? [];
    let phase = starts.length - 1;
    while (phase > 0 && time < (starts[phase] as number)) phase--;
    const counts = this.#phases[phase];
    if (counts !== undefined) (counts[variant] as number)++;
  }

  counts(): Pick<ExposureAnswer, 'byVariant' | 'days' | 'phases' | 'parts'> {
    const { variants } = this.#question;
    const named = (counts: readonly number[]): Record<string, number> =>
      Object.fromEntries(variants.map((variant, at) => [variant, counts[at] ?? 0]));
    const all = this.#noCounts();
    for (const { counts } of this.#days) for (const [at, count] of counts.entries()) (all[at] as number) += count;
    const days = this.#days
      .flatMap(({ from: day, counts }) => counts.map((count, at) => ({ day, variant: variants[at] ?? '', count })))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.day - b.day || (a.variant < b.variant ? -1 : 1));
    return {
      byVariant: named(all),
      days,
      phases: this.#phases.map(named),
      parts: Object.fromEntries(
        this.#parts.flatMap((counts, part) => (counts === undefined ? [] : [[part, named(counts)]])),
      ),
    };
  }
}

const isWithin = (at: number, { from, until }: DayCounts): boolean => at >= from && at < until;
