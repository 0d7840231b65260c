import type { Range } from '../../src/core/time/range.ts';
import type { SeriesNumbers, TrendItem } from '../../src/features/insights/rules/answers.ts';
import type { SeriesMath } from '../../src/features/insights/rules/math.ts';
import type { Series, TrendsPeopleQuestion, TrendsQuestion } from '../../src/features/insights/rules/question.ts';
import { isInSlice, partsOf } from './break-down.ts';
import { actorOfMath, distinct, measure } from './measure.ts';
import { DAY, isWithin, later, nextStart, type Slot, slotsOf, startOf } from './time.ts';
import { trendItems } from './trend-items.ts';
import type { Sessions, World, WorldEvent } from './world.ts';

export const answerTrends = (question: TrendsQuestion, world: World): TrendItem[] =>
  trendItems(
    question,
    periodNumbers(question, world, question.range, question.searchFrom),
    question.previous && periodNumbers(question, world, question.previous, question.previous.from),
  );

const periodNumbers = (
  question: TrendsQuestion,
  world: World,
  range: Range,
  searchFrom: number,
): readonly SeriesNumbers[][] =>
  question.series.map((series) => new SeriesCounter(question, series, world, range).count(searchFrom));

/** Counts one series over one range. */
class SeriesCounter {
  private readonly question: TrendsQuestion;
  private readonly math: SeriesMath;
  private readonly world: World;
  private readonly range: Range;
  /** Of all time: active users are counted in the days before the range, too. */
  private readonly matching: readonly WorldEvent[];
  private readonly sessions: Sessions;
  /** The range with the days before it that active users are counted in. */
  private readonly reach: Range;

  constructor(question: TrendsQuestion, { entity, math }: Series, world: World, range: Range) {
    this.question = question;
    this.math = math;
    this.world = world;
    this.range = range;
    this.matching = world.events.filter((event) => world.isOf(event, entity) && world.holds(event, question.filter));
    const days = math.kind === 'active' ? math.days : 0;
    this.reach = { from: later(range.from, -days, 'day', question.timezone), until: range.until };
    this.sessions = world.sessions(this.reach);
  }

  count(searchFrom: number): SeriesNumbers[] {
    const { breakdown } = this.question;
    if (breakdown === null) return [{ value: null, ...this.numbers(this.matching) }];
    const searched = this.matching.filter(({ timestamp }) => timestamp >= searchFrom && timestamp < this.range.until);
    const parts = partsOf(this.world, breakdown, this.reach, searched, (events) => this.rank(events));
    return parts.map(({ value, has }) => ({ value, ...this.numbers(this.matching.filter(has)) }));
  }

  /** The values with the largest numbers, or the most events where the number counts actors. */
  private rank(events: readonly WorldEvent[]): number {
    const { kind } = this.math;
    if (kind === 'dau' || kind === 'active' || kind === 'per_actor') return events.length;
    return this.measure(events) ?? Number.NEGATIVE_INFINITY;
  }

  private measure = (events: readonly WorldEvent[]): number | null =>
    measure(this.world, this.math, events, this.sessions);

  private numbers(events: readonly WorldEvent[]): Omit<SeriesNumbers, 'value'> {
    const { display, interval, timezone } = this.question;
    const inRange = events.filter(({ timestamp }) => isWithin(timestamp, this.range));
    if (display === 'total') return { points: [], total: this.total(events, inRange) };
    const slots = slotsOf(this.range, interval, timezone);
    return { points: slots.map((slot) => this.point(slot, events, inRange)), total: null };
  }

  private total(events: readonly WorldEvent[], inRange: readonly WorldEvent[]): number | null {
    if (this.math.kind !== 'active') return this.measure(inRange);
    const { timezone } = this.question;
    const lastDay = startOf(this.range.until - 1, 'day', timezone);
    return this.measure(this.during(events, daysUntil(lastDay, this.math.days, timezone)));
  }

  private point(slot: Slot, events: readonly WorldEvent[], inRange: readonly WorldEvent[]): number {
    if (this.math.kind === 'active') return this.activeAt(slot, this.math.days, events);
    const own = inRange.filter(({ timestamp }) => isWithin(timestamp, { from: slot.start, until: slot.end }));
    if (this.question.display === 'cumulative' && (this.math.kind === 'dau' || this.math.kind === 'unique_group')) {
      const actors = (list: readonly WorldEvent[]) =>
        list.map((event) => this.world.actorOf(event, actorOfMath(this.math)));
      const earlier = new Set(actors(inRange.filter(({ timestamp }) => timestamp < slot.start)));
      return distinct(actors(own)).filter((actor) => !earlier.has(actor)).length;
    }
    return this.measure(own) ?? 0;
  }

  private activeAt({ start, end }: Slot, days: number, events: readonly WorldEvent[]): number {
    const { interval, timezone, breakdown } = this.question;
    // As in PostHog: an hour that starts with the last instant of the range is empty, and a breakdown by property shows
    // 0 in intervals in which the project has no events at all.
    if (interval === 'hour' && start === this.range.until - 1) return 0;
    const isSilent = !this.world.events.some(({ timestamp }) => isWithin(timestamp, { from: start, until: end }));
    if (breakdown?.kind === 'property' && isSilent) return 0;
    const window = interval === 'hour' ? hoursUntil(start, days, timezone) : daysUntil(start, days, timezone);
    return this.measure(this.during(events, window)) ?? 0;
  }

  private during = (events: readonly WorldEvent[], window: Range): WorldEvent[] =>
    events.filter(({ timestamp }) => isWithin(timestamp, window) && timestamp < this.range.until);
}

interface TrendActor {
  actor: string;
  /** Their part of the number. */
  value: number | null;
}

/** Those with the largest numbers first. */
export function trendsPeople(question: TrendsPeopleQuestion, world: World): TrendActor[] {
  const { series, filter, selection } = question;
  const range = peopleRange(question);
  const isInPart = selection === null ? () => true : isInSlice(world, selection, range);
  const events = world.events.filter(
    (event) =>
      isWithin(event.timestamp, range) &&
      world.isOf(event, series.entity) &&
      world.holds(event, filter) &&
      isInPart(event),
  );
  const sessions = world.sessions(range);
  const own = (actor: string) => events.filter((event) => world.actorOf(event, actorOfMath(series.math)) === actor);
  const math: SeriesMath = series.math.kind === 'property' ? series.math : { kind: 'total' };
  return distinct(events.map((event) => world.actorOf(event, actorOfMath(series.math))))
    .map((actor) => ({ actor, value: measure(world, math, own(actor), sessions) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.actor < b.actor ? -1 : 1));
}

/** Active users are counted in the days before, too. */
function peopleRange({ series: { math }, range, display, interval, timezone }: TrendsPeopleQuestion): Range {
  if (math.kind !== 'active') return range;
  if (display === 'total') {
    return { ...daysUntil(startOf(range.until - 1, 'day', timezone), math.days, timezone), until: range.until };
  }
  const window = interval === 'hour' ? hoursUntil : daysUntil;
  return { from: window(range.from, math.days, timezone).from, until: range.until };
}

/** This day and those before it, 7 or 30 in all. */
function daysUntil(start: number, days: number, timezone: string): Range {
  const from = startOf(later(start, 1 - days, 'day', timezone), 'day', timezone);
  return { from, until: nextStart(startOf(start, 'day', timezone), 'day', timezone) };
}

/** This hour, and the 7 or 30 times 24 hours before it without the moment at which they begin. */
const hoursUntil = (start: number, days: number, timezone: string): Range => ({
  from: start - days * DAY + 1,
  until: nextStart(start, 'hour', timezone),
});
