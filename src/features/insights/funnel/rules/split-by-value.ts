import type { FunnelQuestion, FunnelValue } from '../../rules/question.ts';

/** All values beyond the largest ones. */
export const OTHER: readonly string[] = ['Other'];

/** Reads the values of the breakdown of an event, and whether it is a step. */
export interface ValueReader<E> {
  valuesOn(event: E): readonly string[];
  isStep(event: E): boolean;
  /** Whether it is an event of the attribution step, or of any step. */
  isAttributed(event: E): boolean;
}

export interface ValuePart<E> {
  value: FunnelValue | null;
  events: readonly E[];
}

/** The step whose events give the value of the breakdown; null: any step. */
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
  private readonly kind: FunnelQuestion['attribution']['kind'];
  private readonly none: readonly string[];
  private readonly read: ValueReader<E>;
  private readonly largest: ReadonlySet<string>;

  constructor({ attribution }: FunnelQuestion, keys: number, read: ValueReader<E>, largest: ReadonlySet<string>) {
    this.kind = attribution.kind;
    this.none = Array.from({ length: keys }, () => '');
    this.read = read;
    this.largest = largest;
  }

  split(events: readonly E[]): ValuePart<E>[] {
    const { isStep, isAttributed, valuesOn } = this.read;
    switch (this.kind) {
      case 'first_touch':
        return [{ value: this.shown(this.touch(events.filter(isStep))), events }];
      case 'last_touch':
        return [{ value: this.shown(this.touch(events.filter(isStep).toReversed())), events }];
      case 'step':
        return this.valuesOf(events.filter(isAttributed)).map((value) => ({ value: this.shown(value), events }));
      case 'all_events':
        return this.valuesOf(events).map((value) => ({
          value: this.shown(value),
          events: events.filter((event) => JSON.stringify(valuesOn(event)) === JSON.stringify(value)),
        }));
    }
  }

  private touch = (events: readonly E[]): readonly string[] =>
    events.map(this.read.valuesOn).find((value) => value.some((text) => text !== '')) ?? this.none;

  private valuesOf = (events: readonly E[]): string[][] =>
    [...new Set(events.map((event) => JSON.stringify(this.read.valuesOn(event))))].map(
      (key) => JSON.parse(key) as string[],
    );

  private shown = (value: readonly string[]): FunnelValue => (this.largest.has(JSON.stringify(value)) ? value : OTHER);
}
