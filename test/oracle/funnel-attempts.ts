import type { Entity } from '../../src/core/actions/entity.ts';
import type { Filter } from '../../src/core/filters/property-filter.ts';
import type { Exclusion, FunnelQuestion } from '../../src/features/insights/rules/question.ts';
import { later } from './time.ts';
import type { World, WorldEvent } from './world.ts';

/** One attempt at a funnel. */
export interface Attempt {
  start: number;
  /** The step that it began with. */
  first: number;
  /** How many steps were done within the window. */
  depth: number;
  /** When each step was done, or null; of an unordered funnel: when any first, second, … step was done. */
  times: readonly (number | null)[];
}

/** The attempts of an actor with these events, except those with an excluded event. */
export function attemptsOf(question: FunnelQuestion, world: World, events: readonly WorldEvent[]): Attempt[] {
  const walk = new AttemptFinder(question, world, events);
  switch (question.order) {
    case 'ordered':
      return walk.ordered();
    case 'strict':
      return walk.strict();
    case 'unordered':
      return walk.unordered();
  }
}

export const windowEnd = ({ window, timezone }: FunnelQuestion, from: number, windows = 1): number =>
  later(from, windows * window.count, window.unit, timezone);

class AttemptFinder {
  private readonly question: FunnelQuestion;
  private readonly events: readonly WorldEvent[];
  /** Step → whether each event is one of the step. */
  private readonly isStep: readonly (readonly boolean[])[];
  private readonly excluded: readonly { exclusion: Exclusion; times: readonly number[] }[];

  constructor(question: FunnelQuestion, world: World, events: readonly WorldEvent[]) {
    this.question = question;
    this.events = events;
    this.isStep = question.steps.map((step) => events.map((event) => world.isOf(event, step)));
    this.excluded = question.exclusions.map((exclusion) => ({
      exclusion,
      times: events.filter((event) => world.isOf(event, exclusion.entity)).map(({ timestamp }) => timestamp),
    }));
  }

  /** Each step is the earliest event at or after the step before it. */
  ordered(): Attempt[] {
    return this.startsOf(0).flatMap((start) => {
      const found: (number | undefined)[] = [start];
      for (let step = 1; step < this.isStep.length; step++) found.push(this.next(step, found[step - 1]));
      const times = found.map((at) => (at === undefined ? null : this.time(at)));
      return this.isVoid(times) ? [] : [{ start: this.time(start), first: 0, depth: this.depthOf(times), times }];
    });
  }

  /** One event may be two different steps, but not the same step twice. */
  private next(step: number, before: number | undefined): number | undefined {
    if (before === undefined) return undefined;
    const [now, last] = [this.question.steps[step], this.question.steps[step - 1]];
    const mustBeAnother = now !== undefined && last !== undefined && isAtLeast(now, last);
    const index = this.events.findIndex(
      ({ timestamp }, at) => this.isStep[step]?.[at] && (mustBeAnother ? at > before : timestamp >= this.time(before)),
    );
    return index < 0 ? undefined : index;
  }

  /** The steps follow each other directly, so there can be no exclusions. */
  strict(): Attempt[] {
    return this.startsOf(0).map((start) => {
      const times = this.isStep.map((is, step) => (is[start + step] ? this.time(start + step) : null));
      return { start: this.time(start), first: 0, depth: this.depthOf(times), times };
    });
  }

  /** Any step may be the first; the others follow in any order. */
  unordered(): Attempt[] {
    return this.isStep.flatMap((_, first) =>
      this.startsOf(first).flatMap((start) => {
        const from = this.time(start);
        const others = this.isStep.flatMap((_is, step) => (step === first ? [] : [this.after(step, from)]));
        const sorted = [from, ...others].filter((at) => at !== null).sort((a, b) => a - b);
        const times = this.isStep.map((_is, at) => sorted[at] ?? null);
        if (this.isVoid(times)) return [];
        const end = windowEnd(this.question, from);
        return [{ start: from, first, depth: sorted.filter((at) => at <= end).length, times }];
      }),
    );
  }

  private after(step: number, from: number): number | null {
    return this.events.find(({ timestamp }, at) => this.isStep[step]?.[at] && timestamp > from)?.timestamp ?? null;
  }

  private startsOf = (step: number): number[] => this.events.flatMap((_, at) => (this.isStep[step]?.[at] ? [at] : []));
  private time = (at: number): number => (this.events[at] as WorldEvent).timestamp;

  private depthOf(times: readonly (number | null)[]): number {
    const end = windowEnd(this.question, times[0] ?? 0);
    const missed = times.findIndex((at) => at === null || at > end);
    return missed < 0 ? times.length : missed;
  }

  /** An excluded event happened after the one step and before the other, or before the end of the window. */
  private isVoid(times: readonly (number | null)[]): boolean {
    return this.excluded.some(({ exclusion, times: happened }) => {
      const from = times[exclusion.from] ?? null;
      if (from === null) return false;
      const first = happened.find((at) => at >= from);
      return first !== undefined && first > from && first < (times[exclusion.to] ?? windowEnd(this.question, from));
    });
  }
}

/** Whether every event of `other` is one of `entity` by its very definition: it asks for no more than `other` does. */
function isAtLeast(entity: Entity, other: Entity): boolean {
  const asked = conditionsOf(other.filter);
  return (
    entity.kind === other.kind &&
    entity.id === other.id &&
    conditionsOf(entity.filter).every((condition) => asked.includes(condition))
  );
}

const conditionsOf = (filter: Filter): string[] =>
  filter.kind === 'and' ? filter.filters.flatMap(conditionsOf) : [JSON.stringify(filter)];
