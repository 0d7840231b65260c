/** Who did the start event after the exposure, and who of these came back in time. */
import { addUnits } from '../../../core/time/interval.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import { eachInTurn } from '../../../lib/in-batches.ts';
import type { MetricQuestion } from '../rules/experiment-question.ts';
import { IntervalStarts } from './interval-starts.ts';
import type { MeasuredRows } from './measured-rows.ts';
import { bitOf } from './metric-plan.ts';
import { type RowBlock, rowId } from './row-blocks.ts';

type Retention = MetricQuestion & { kind: 'retention' };

/** Columns by actor: whether they came back, and whether they started. */
export async function retainedActors(metric: Retention, measured: MeasuredRows): Promise<Float64Array[]> {
  const { rows, exposures, timezone } = measured;
  const { actors } = exposures;
  const starts = await startsOf(metric, measured);
  const [from, until] = [new Float64Array(actors).fill(Number.NaN), new Float64Array(actors)];
  const windows = new RetentionWindows(metric, timezone);
  for (let who = 0; who < actors; who++) {
    const startedAt = starts.at[who] as number;
    if (Number.isNaN(startedAt)) continue;
    const window = windows.after(startedAt);
    // What is before the start does not complete it, even on the same day.
    from[who] = Math.max(window.from, startedAt);
    until[who] = window.until;
  }
  const completed = new Float64Array(actors);
  const windowsOf = { from, until, startRow: starts.row };
  await eachInTurn(rows.blocks.with(bitOf(rows.plan, metric.completion)), (block) =>
    findCompleted(block, windowsOf, completed),
  );
  return [completed, starts.at.map((at) => (Number.isNaN(at) ? 0 : 1))];
}

function findCompleted(
  block: RowBlock,
  { from, until, startRow }: { from: Float64Array; until: Float64Array; startRow: Float64Array },
  completed: Float64Array,
): void {
  const { count, actor, at: times } = block;
  for (let row = 0; row < count; row++) {
    const who = actor[row] as number;
    const at = times[row] as number;
    if (at >= (from[who] as number) && at < (until[who] as number) && rowId(block, row) !== startRow[who])
      completed[who] = 1;
  }
}

/** The first or last start event of each actor, and its `rowId`; NaN where there is none. */
async function startsOf(metric: Retention, measured: MeasuredRows): Promise<{ at: Float64Array; row: Float64Array }> {
  const { rows, exposures } = measured;
  const { tieOrder } = rows;
  const windowMs = metric.windowMs ?? Number.POSITIVE_INFINITY;
  const until = metric.windowMs === null ? measured.until : Number.POSITIVE_INFINITY;
  const found = new Float64Array(exposures.actors).fill(Number.NaN);
  const startRow = new Float64Array(exposures.actors).fill(Number.NaN);
  const sign = metric.startHandling === 'first_seen' ? 1 : -1;
  await eachInTurn(rows.blocks.with(bitOf(rows.plan, metric.start)), (block) => {
    for (let row = 0; row < block.count; row++) {
      const who = block.actor[row] as number;
      const at = block.at[row] as number;
      const since = exposures.since[who] as number;
      if (!(at >= since && at < since + windowMs && at < until)) continue;
      const known = found[who] as number;
      const id = rowId(block, row);
      const isTied = at === known && tieOrder !== null && sign * tieOrder(id, startRow[who] as number) < 0;
      if (!isTied && sign * (at - known) >= 0) continue;
      found[who] = at;
      startRow[who] = id;
    }
  });
  return { at: found, row: startRow };
}

/** Whole units of the calendar after the one of the start event. */
class RetentionWindows {
  readonly #metric: Retention;
  readonly #timezone: string;
  readonly #starts: IntervalStarts | null;
  readonly #known = new Map<number, { from: number; until: number }>();

  constructor(metric: Retention, timezone: string) {
    this.#metric = metric;
    this.#timezone = timezone;
    const { unit } = metric;
    this.#starts = unit === 'second' || unit === 'minute' ? null : new IntervalStarts(unit, timezone);
  }

  after(start: number): { from: number; until: number } {
    const { unit, windowStart, windowEnd } = this.#metric;
    if (unit === 'second' || unit === 'minute' || this.#starts === null) {
      const length = unit === 'second' ? 1000 : MINUTE_MS;
      const first = Math.floor(start / length) * length;
      return { from: first + windowStart * length, until: first + (windowEnd + 1) * length };
    }
    const first = this.#starts.of(start);
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
