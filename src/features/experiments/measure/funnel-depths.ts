/** How many steps of a funnel everybody did after the exposure. */
import type { Entity } from '../../../core/actions/entity.ts';
import { eachInTurn } from '../../../lib/in-batches.ts';
import type { MetricQuestion } from '../rules/experiment-question.ts';
import type { MeasuredRows } from './measured-rows.ts';
import { bitOf, entityIdentity, type MetricPlan, needsAnotherEvent } from './metric-plan.ts';
import type { RowBlock } from './row-blocks.ts';

type Funnel = MetricQuestion & { kind: 'funnel' };

/**
 * The first event of each step at or after that of the step before: one event may be two different steps, and events at
 * the same time have no order. So one pass over the rows of each step is enough.
 */
export async function orderedDepths(metric: Funnel, measured: MeasuredRows): Promise<Uint8Array> {
  const { rows, exposures } = measured;
  const { actors, since } = exposures;
  const windowMs = metric.windowMs ?? Number.POSITIVE_INFINITY;
  const until = metric.windowMs === null ? measured.until : Number.POSITIVE_INFINITY;
  const depths = new Uint8Array(actors);
  // NaN for those who do not count, or did not reach the step before.
  let reached = since;
  for (const step of metric.steps) {
    const [before, next] = [reached, new Float64Array(actors).fill(Number.NaN)];
    await eachInTurn(rows.blocks.with(bitOf(rows.plan, step)), (block) => findNext(block, before, next));
    for (let who = 0; who < actors; who++) {
      const at = next[who] as number;
      if (at < until && at < (since[who] as number) + windowMs) (depths[who] as number)++;
      else next[who] = Number.NaN;
    }
    reached = next;
  }
  return depths;
}

/** The first time of each actor in the block that is not before the one in `before`. */
function findNext({ count, actor, at: times }: RowBlock, before: Float64Array, next: Float64Array): void {
  for (let row = 0; row < count; row++) {
    const who = actor[row] as number;
    const at = times[row] as number;
    if (at >= (before[who] as number) && !((next[who] as number) <= at)) next[who] = at;
  }
}

/** How many of the steps were done; a step that is there twice needs two events. */
export async function unorderedDepths(metric: Funnel, { columns, exposures }: MeasuredRows): Promise<Uint8Array> {
  const steps = new Map<string, Entity[]>();
  for (const step of metric.steps) steps.set(entityIdentity(step), [...(steps.get(entityIdentity(step)) ?? []), step]);
  const depths = new Uint8Array(exposures.actors);
  for (const same of steps.values()) {
    const [entity] = same;
    if (entity === undefined) continue;
    const { after } = await columns.get({ entity, measure: { kind: 'count' } }, metric);
    for (let who = 0; who < after.length; who++) (depths[who] as number) += Math.min(after[who] as number, same.length);
  }
  return depths;
}

/** The events of one actor from the first exposure on, in the order of time. */
interface ActorSequence {
  readonly count: number;
  /** ms UTC. */
  readonly at: Float64Array;
  /** A bit for each entity. */
  readonly rest: Int32Array;
}

/** Funnels that depend on which event comes first: strict ones, and those with the same step twice in a row. */
export class SortedFunnel {
  /** The events that it reads. */
  readonly mask: number;
  readonly depths: Uint8Array;
  readonly #bits: readonly number[];
  readonly #isStrict: boolean;
  readonly #needsAnother: readonly boolean[];
  readonly #windowMs: number;
  readonly #until: number;

  constructor(metric: Funnel, plan: MetricPlan, actors: number, until: number) {
    this.#bits = metric.steps.map((step) => bitOf(plan, step));
    this.#isStrict = metric.order === 'strict';
    this.mask = this.#bits.reduce((mask, bit) => mask | bit, 0);
    this.#needsAnother = needsAnotherEvent(metric.steps);
    this.#windowMs = metric.windowMs ?? Number.POSITIVE_INFINITY;
    this.#until = metric.windowMs === null ? until : Number.POSITIVE_INFINITY;
    this.depths = new Uint8Array(actors);
  }

  visit(actor: number, since: number, events: ActorSequence): void {
    const end = Math.min(since + this.#windowMs, this.#until);
    this.depths[actor] = this.#isStrict ? this.#strictDepth(events, end) : this.#orderedDepth(events, end);
  }

  #orderedDepth({ count, at, rest }: ActorSequence, end: number): number {
    let [depth, from] = [0, 0];
    for (const [step, bit] of this.#bits.entries()) {
      // One event may be two different steps, and events at the same time have no order.
      if (step > 0 && this.#needsAnother[step] !== true) from = firstAtSameTime(at, from - 1);
      while (from < count && ((rest[from] as number) & bit) === 0) from++;
      if (from >= count || (at[from] as number) >= end) break;
      depth++;
      from++;
    }
    return depth;
  }

  /** The longest run of steps one directly after the other; the first may come at any time after the exposure. */
  #strictDepth({ count, at, rest }: ActorSequence, end: number): number {
    let best = 0;
    for (let start = 0; start < count && (at[start] as number) < end; start++) {
      let depth = 0;
      while (
        depth < this.#bits.length &&
        start + depth < count &&
        (at[start + depth] as number) < end &&
        ((rest[start + depth] as number) & (this.#bits[depth] as number)) !== 0
      )
        depth++;
      best = Math.max(best, depth);
      if (best === this.#bits.length) break;
    }
    return best;
  }
}

function firstAtSameTime(at: Float64Array, position: number): number {
  let first = position;
  while (first > 0 && at[first - 1] === at[position]) first--;
  return first;
}
