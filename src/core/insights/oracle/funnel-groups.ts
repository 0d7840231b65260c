import type { PropertyBreakdown } from '../questions/breakdown.ts';
import type { FunnelQuestion, FunnelValue } from '../questions/question.ts';
import { isWithin } from '../time/range.ts';
import { breakdownText } from './break-down.ts';
import { type Attempt, attemptsOf } from './funnel-attempts.ts';
import { distinct } from './measure.ts';
import type { World, WorldEvent } from './world.ts';

/** What one actor tried, as part of one value of the breakdown. */
export interface Entrant {
  actor: string;
  value: FunnelValue | null;
  attempts: readonly Attempt[];
}

export const OTHER: readonly string[] = ['Other'];

/** Everybody who entered the funnel, once for each value of the breakdown that they are part of. */
export function entrantsOf(question: FunnelQuestion, world: World): Entrant[] {
  if (question.steps.length === 0) return [];
  const events = funnelEvents(question, world);
  const actors = distinct(events.map((event) => world.actorOf(event, question.actor)));
  const divide = dividerOf(question, world, events);
  const entrants = actors.flatMap((actor) => {
    const own = events.filter((event) => world.actorOf(event, question.actor) === actor);
    return divide(own).map((part) => ({
      actor,
      value: part.value,
      attempts: attemptsOf(question, world, part.events),
    }));
  });
  return joined(entrants).filter(({ attempts }) => attempts.length > 0);
}

/** All that actors did in the range. */
export const funnelEvents = (question: FunnelQuestion, world: World): WorldEvent[] =>
  world.events.filter(
    (event) =>
      isWithin(event.timestamp, question.range) &&
      world.actorOf(event, question.actor) !== null &&
      world.holds(event, question.filter),
  );

/** Several small values may have become one. */
function joined(entrants: readonly Entrant[]): Entrant[] {
  const byKey = new Map<string, Entrant>();
  for (const entrant of entrants) {
    const key = JSON.stringify([entrant.actor, entrant.value]);
    const known = byKey.get(key)?.attempts ?? [];
    byKey.set(key, { ...entrant, attempts: [...known, ...entrant.attempts] });
  }
  return [...byKey.values()];
}

interface Part {
  value: FunnelValue | null;
  events: readonly WorldEvent[];
}

/** How one actor's events are divided by the breakdown. */
function dividerOf(
  question: FunnelQuestion,
  world: World,
  all: readonly WorldEvent[],
): (own: readonly WorldEvent[]) => Part[] {
  const { breakdown } = question;
  if (breakdown === null) return (events) => [{ value: null, events }];
  if (breakdown.kind === 'property') return new PropertyDivider(question, breakdown, world, all).divide;
  return (events) =>
    breakdown.cohorts
      .filter(({ id }) => world.isMember(events[0]?.personId ?? null, id))
      .map(({ id }) => ({ value: id, events }));
}

class PropertyDivider {
  private readonly question: FunnelQuestion;
  private readonly keys: readonly string[];
  private readonly text: (event: WorldEvent, key: string) => string | undefined;
  private readonly isStep: (event: WorldEvent) => boolean;
  /** The steps whose events tell the values. */
  private readonly isTelling: (event: WorldEvent) => boolean;
  private readonly kept: ReadonlySet<string>;

  constructor(question: FunnelQuestion, breakdown: PropertyBreakdown, world: World, all: readonly WorldEvent[]) {
    const { steps, order, attribution } = question;
    this.question = question;
    this.keys = breakdown.keys;
    this.text = breakdownText(world, breakdown, question.range);
    this.isStep = (event) => steps.some((step) => world.isOf(event, step));
    const isOneStep = order !== 'unordered' && (attribution.kind === 'step' || attribution.kind === 'all_events');
    const step = steps[attribution.kind === 'step' ? attribution.step : 0];
    this.isTelling = (event) => (isOneStep && step !== undefined ? world.isOf(event, step) : this.isStep(event));
    this.kept = this.largest(all.filter(this.isTelling), breakdown.limit);
  }

  private valueOf = (event: WorldEvent): string[] => this.keys.map((key) => this.text(event, key) ?? '');

  private largest(events: readonly WorldEvent[], limit: number): Set<string> {
    const counts = new Map<string, number>();
    for (const event of events) {
      const key = JSON.stringify(this.valueOf(event));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const ranked = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? 1 : -1));
    return new Set(ranked.slice(0, limit).map(([key]) => key));
  }

  divide = (events: readonly WorldEvent[]): Part[] => {
    const { kind } = this.question.attribution;
    switch (kind) {
      case 'first_touch':
        return [{ value: this.shown(this.touch(events.filter(this.isStep))), events }];
      case 'last_touch':
        return [{ value: this.shown(this.touch(events.filter(this.isStep).toReversed())), events }];
      case 'step':
        return this.valuesOf(events.filter(this.isTelling)).map((value) => ({ value: this.shown(value), events }));
      case 'all_events':
        return this.valuesOf(events).map((value) => ({
          value: this.shown(value),
          events: events.filter((event) => JSON.stringify(this.valueOf(event)) === JSON.stringify(value)),
        }));
    }
  };

  private touch = (events: readonly WorldEvent[]): string[] =>
    events.map(this.valueOf).find((value) => value.some((text) => text !== '')) ?? this.keys.map(() => '');

  private valuesOf = (events: readonly WorldEvent[]): string[][] =>
    distinct(events.map((event) => JSON.stringify(this.valueOf(event)))).map((key) => JSON.parse(key) as string[]);

  private shown = (value: readonly string[]): FunnelValue => (this.kept.has(JSON.stringify(value)) ? value : OTHER);
}
