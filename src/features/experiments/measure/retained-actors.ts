/** Who did the start event after the exposure, and who of these came back in time. */
import { addUnits } from '../../../core/time/interval.ts';
import { MINUTE_MS } from '../../../core/time/units.ts';
import type { MetricQuestion } from '../rules/experiment-question.ts';
import { IntervalStarts } from './interval-starts.ts';
import type { MeasuredRows } from './measured-rows.ts';
import { bitOf } from './metric-plan.ts';

type Retention = MetricQuestion & { kind: 'retention' };

/** Columns by actor: whether they came back, and whether they started. */
export async function retainedActors(metric: Retention, measured: MeasuredRows): Promise<Float64Array[]> {
  const { rows, byEntity, exposures, timezone } = measured;
  const { actor, key, encoding } = rows;
  const { actors } = exposures;
  const { at: startedAt, row: startRow } = await startsOf(metric, measured);
  const [from, until] = [new Float64Array(actors).fill(Number.NaN), new Float64Array(actors)];
  const windows = new RetentionWindows(metric, timezone);
  for (let who = 0; who < actors; who++) {
    if (Number.isNaN(startedAt[who] as number)) continue;
    const window = windows.after(startedAt[who] as number);
    // What is before the start does not complete it, even on the same day.
    from[who] = Math.max(window.from, startedAt[who] as number);
    until[who] = window.until;
  }
  const unit = 1 / encoding.base;
  const completed = new Float64Array(actors);
  await byEntity.visit(bitOf(rows.plan, metric.completion), (order, first, past, bits) => {
    for (let position = first; position < past; position++) {
      const row = order[position] as number;
      const who = actor[row] as number;
      const at = encoding.from + ((key[row] as number) - bits) * unit;
      if (at >= (from[who] as number) && at < (until[who] as number) && row !== startRow[who]) completed[who] = 1;
    }
  });
  return [completed, startedAt.map((at) => (Number.isNaN(at) ? 0 : 1))];
}

/** The first or last start event of each actor; NaN where there is none. */
async function startsOf(metric: Retention, measured: MeasuredRows): Promise<{ at: Float64Array; row: Int32Array }> {
  const { rows, byEntity, exposures } = measured;
  const { actor, key, encoding, tieOrder } = rows;
  const windowMs = metric.windowMs ?? Number.POSITIVE_INFINITY;
  const until = metric.windowMs === null ? measured.until : Number.POSITIVE_INFINITY;
  const [found, startRow] = [
    new Float64Array(exposures.actors).fill(Number.NaN),
    new Int32Array(exposures.actors).fill(-1),
  ];
  const unit = 1 / encoding.base;
  const sign = metric.startHandling === 'first_seen' ? 1 : -1;
  await byEntity.visit(bitOf(rows.plan, metric.start), (order, from, to, bits) => {
    for (let position = from; position < to; position++) {
      const row = order[position] as number;
      const who = actor[row] as number;
      const since = exposures.since[who] as number;
      const at = encoding.from + ((key[row] as number) - bits) * unit;
      if (!(at >= since && at < since + windowMs && at < until)) continue;
      const known = found[who] as number;
      const isTied = at === known && tieOrder !== null && sign * tieOrder(row, startRow[who] as number) < 0;
      if (!isTied && sign * (at - known) >= 0) continue;
      found[who] = at;
      startRow[who] = row;
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
