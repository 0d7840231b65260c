import type { FunnelQuestion, FunnelValue } from '../../rules/question.ts';

/** All values beyond the largest ones. */
export const OTHER: readonly string[] = ['Other'];

/** Reads the values of the breakdown of an event, and of which steps it is. */
interface ValueReader<E> {
  valuesOn(event: E): readonly string[];
  isStep(event: E): boolean;
  isOfStep(event: E, step: number): boolean;
}

export interface ValuePart<E> {
  value: FunnelValue | null;
  events: readonly E[];
  /** Only attempts that start with this step of an unordered funnel belong to the value; null: all attempts. */
  firstStep: number | null;
}

/** The step whose events say which values are the largest; null: any step. */
export function attributionStep({ order, attribution }: FunnelQuestion): number | null {
  if (order === 'unordered') return null;
  if (attribution.kind === 'step') return attribution.step;
  return attribution.kind === 'all_events' ? 0 : null;
}

/** The values with the most events, as JSON. */
export function largestValues(
  counts: Iterable<readonly [value: readonly string[], count: number]>,
  limit: number,
): Set<string> {
  const ranked = [...counts]
    .map(([value, count]) => ({ key: JSON.stringify(value), count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? 1 : -1));
  return new Set(ranked.slice(0, limit).map(({ key }) => key));
}

/** Splits one actor's events by the values of a property. */
export class ValueSplitter<E> {
  private readonly question: Pick<FunnelQuestion, 'attribution' | 'order' | 'steps'>;
  private readonly none: readonly string[];
  private readonly read: ValueReader<E>;
  private readonly largest: ReadonlySet<string>;

  constructor(question: FunnelQuestion, keys: number, read: ValueReader<E>, largest: ReadonlySet<string>) {
    this.question = question;
    this.none = Array.from({ length: keys }, () => '');
    this.read = read;
    this.largest = largest;
  }

  split(events: readonly E[]): ValuePart<E>[] {
    const { isStep, valuesOn } = this.read;
    const { attribution } = this.question;
    switch (attribution.kind) {
      case 'first_touch':
        return [{ value: this.shown(this.touch(events.filter(isStep))), events, firstStep: null }];
      case 'last_touch':
        return [{ value: this.shown(this.touch(events.filter(isStep).toReversed())), events, firstStep: null }];
      case 'step':
        return this.splitByStep(events, attribution.step);
      case 'all_events':
        return this.valuesOf(events).map((value) => ({
          value: this.shown(value),
          events: events.filter((event) => JSON.stringify(valuesOn(event)) === JSON.stringify(value)),
          firstStep: null,
        }));
    }
  }

  /** An unordered funnel counts steps from the one that an attempt starts with, so each start has values of its own. */
  private splitByStep(events: readonly E[], step: number): ValuePart<E>[] {
    const { order, steps } = this.question;
    if (order !== 'unordered')
      return this.valuesOfStep(events, step).map((value) => ({ value, events, firstStep: null }));
    return steps.flatMap((_, firstStep) =>
      this.valuesOfStep(events, (firstStep + step) % steps.length).map((value) => ({ value, events, firstStep })),
    );
  }

  private valuesOfStep(events: readonly E[], step: number): FunnelValue[] {
    const values = this.valuesOf(events.filter((event) => this.read.isOfStep(event, step)));
    const shown = new Map(values.map((value) => [JSON.stringify(this.shown(value)), this.shown(value)]));
    return [...shown.values()];
  }

  private touch = (events: readonly E[]): readonly string[] =>
    events.map(this.read.valuesOn).find((value) => value.some((text) => text !== '')) ?? this.none;

  private valuesOf = (events: readonly E[]): string[][] =>
    [...new Set(events.map((event) => JSON.stringify(this.read.valuesOn(event))))].map(
      (key) => JSON.parse(key) as string[],
    );

  private shown = (value: readonly string[]): FunnelValue => (this.largest.has(JSON.stringify(value)) ? value : OTHER);
}
