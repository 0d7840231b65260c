/** Metrics that depend on the order of somebody's events: funnels and retention. */
import { addUnits, startOfInterval } from '../../../core/time/interval.ts';
import type { MetricQuestion } from '../rules/experiment-question.ts';
import { bitOf, type MetricPlan, needsAnotherEvent } from './metric-plan.ts';

/** The events of one actor from the first exposure on, in the order of time. */
interface SequenceEvents {
  readonly count: number;
  /** ms UTC. */
  readonly at: Float64Array;
  /** A bit for each entity. */
  readonly rest: Int32Array;
}

export interface Sequence {
  /** The events that it reads. */
  readonly mask: number;
  visit(actor: number, since: number, events: SequenceEvents): void;
}

type Funnel = MetricQuestion & { kind: 'funnel' };
type Retention = MetricQuestion & { kind: 'retention' };

/** How many steps each actor did in their order. */
export class FunnelDepths implements Sequence {
  readonly mask: number;
  readonly depths: Uint8Array;
  readonly #bits: readonly number[];
  readonly #needsAnother: readonly boolean[];
  readonly #windowMs: number;
  readonly #until: number;

  constructor(metric: Funnel, plan: MetricPlan, actors: number, until: number) {
    this.#bits = metric.steps.map((step) => bitOf(plan, step));
    this.mask = this.#bits.reduce((mask, bit) => mask | bit, 0);
    this.#needsAnother = needsAnotherEvent(metric.steps);
    this.#windowMs = metric.windowMs ?? Number.POSITIVE_INFINITY;
    this.#until = metric.windowMs === null ? until : Number.POSITIVE_INFINITY;
    this.depths = new Uint8Array(actors);
  }

  visit(actor: number, since: number, { count, at, rest }: SequenceEvents): void {
    const end = Math.min(since + this.#windowMs, this.#until);
    let depth = 0;
    let from = 0;
    for (const [step, bit] of this.#bits.entries()) {
      // One event may be two different steps, and events at the same time have no order.
      if (step > 0 && this.#needsAnother[step] !== true) from = firstAtSameTime(at, from - 1);
      while (from < count && ((rest[from] as number) & bit) === 0) from++;
      if (from >= count || (at[from] as number) >= end) break;
      depth++;
      from++;
    }
    this.depths[actor] = depth;
  }
}

function firstAtSameTime(at: Float64Array, position: number): number {
  let first = position;
  while (first > 0 && at[first - 1] === at[position]) first--;
  return first;
}

/** Who did the start event, and who of these came back in time. */
export class RetainedActors implements Sequence {
  readonly mask: number;
  readonly started: Float64Array;
  readonly completed: Float64Array;
  readonly #metric: Retention;
  readonly #bits: { start: number; completion: number };
  readonly #until: number;
  readonly #windows: RetentionWindows;

  constructor(metric: Retention, plan: MetricPlan, actors: number, until: number, timezone: string) {
    this.#metric = metric;
    this.#bits = { start: bitOf(plan, metric.start), completion: bitOf(plan, metric.completion) };
    this.mask = this.#bits.start | this.#bits.completion;
    this.#until = metric.windowMs === null ? until : Number.POSITIVE_INFINITY;
    this.started = new Float64Array(actors);
    this.completed = new Float64Array(actors);
    this.#windows = new RetentionWindows(metric, timezone);
  }

  visit(actor: number, since: number, events: SequenceEvents): void {
    const start = this.#startIn(since, events);
    if (start === null) return;
    this.started[actor] = 1;
    const { from, until } = this.#windows.after(events.at[start] as number);
    for (let position = 0; position < events.count; position++) {
      const time = events.at[position] as number;
      const isOther = position !== start && time >= (events.at[start] as number);
      if (isOther && time >= from && time < until && ((events.rest[position] as number) & this.#bits.completion) !== 0)
        this.completed[actor] = 1;
    }
  }

  #startIn(since: number, { count, at, rest }: SequenceEvents): number | null {
    const { windowMs, startHandling } = this.#metric;
    const end = Math.min(since + (windowMs ?? Number.POSITIVE_INFINITY), this.#until);
    let found: number | null = null;
    for (let position = 0; position < count && (at[position] as number) < end; position++) {
      if (((rest[position] as number) & this.#bits.start) === 0) continue;
      found = position;
      if (startHandling === 'first_seen') break;
    }
    return found;
  }
}

/** Whole units of the calendar after the one of the start event; the same start of a unit is calculated once. */
class RetentionWindows {
  readonly #metric: Retention;
  readonly #timezone: string;
  readonly #known = new Map<number, { from: number; until: number }>();

  constructor(metric: Retention, timezone: string) {
    this.#metric = metric;
    this.#timezone = timezone;
  }

  after(start: number): { from: number; until: number } {
    const { unit, windowStart, windowEnd } = this.#metric;
    if (unit === 'second' || unit === 'minute') {
      const length = unit === 'second' ? 1000 : 60_000;
      const first = Math.floor(start / length) * length;
      return { from: first + windowStart * length, until: first + (windowEnd + 1) * length };
    }
    const first = startOfInterval(start, unit, this.#timezone);
    const known = this.#known.get(first);
    if (known !== undefined) return known;
    const found = {
      from: addUnits(first, windowStart, unit, this.#timezone),
      until: addUnits(first, windowEnd + 1, unit, this.#timezone),
    };
    this.#known.set(first, found);
    return found;
  }
}
