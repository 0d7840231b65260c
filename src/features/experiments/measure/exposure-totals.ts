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
  /** The day of the last exposure in each hour of the range: there are few hours, and millions of exposures. */
  readonly #hours: (DayCounts | undefined)[] = [];
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
    let day: DayCounts | undefined;
    let counted: number[] = [];
    let part = -1;
    for (let actor = 0; actor < actors; actor++) {
      if (several[actor] !== 0) this.#several++;
      if (several[actor] === 2) this.#sameId++;
      const own = code[actor] as number;
      if (own === 0) continue;
      const at = since[actor] as number;
      const variant = exposureVariant(own);
      // Mostly not those of the actor before, but of one of few days and parts.
      if (day === undefined || at < day.from || at >= day.until) day = this.#dayOf(at);
      (day.counts[variant] as number)++;
      if (exposureValue(own) !== part) {
        part = exposureValue(own);
        counted = this.#countsOfPart(part);
      }
      (counted[variant] as number)++;
      const phase = this.#phases.length === 0 ? undefined : this.#phases[this.#phaseOf(at)];
      if (phase !== undefined) (phase[variant] as number)++;
    }
  }

  #dayOf(at: number): DayCounts {
    const hour = Math.floor((at - this.#question.range.from) / HOUR_MS);
    const last = this.#hours[hour];
    if (last !== undefined && isWithin(at, last)) return last;
    const day = this.#days.find((known) => isWithin(at, known)) ?? this.#addDay(at);
    this.#hours[hour] = day;
    return day;
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
