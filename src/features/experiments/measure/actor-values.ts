/** The values of everybody who counts, for several metrics at once. */
import { inBatches } from '../../../lib/in-batches.ts';
import { ActorKeys } from '../../insights/shared/actor-keys.ts';
import { ACTOR_BATCH_SIZE, ROW_BATCH_SIZE, reorderColumn } from '../../insights/shared/actor-rows.ts';
import type { MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import { FunnelDepths, RetainedActors, type Sequence } from './actor-sequences.ts';
import { type ExperimentRows, MAX_VALUE } from './experiment-rows.ts';
import { MeasuredColumn } from './measured-column.ts';
import { bitOf, measuredIn } from './metric-plan.ts';

/** Columns by actor. */
export interface MetricValues {
  /** In the order value, past, value of the denominator, its past; pasts only where they are measured. */
  readonly columns: readonly Float64Array[];
  /** Of funnels: how many steps were done. */
  readonly depths: Uint8Array | null;
}

/** Events before `until` count, and later ones where a metric has a window. */
interface Asked {
  until: number;
  timezone: string;
}

export async function valuesByActor(
  rows: ExperimentRows,
  exposures: ActorExposures,
  asked: Asked,
): Promise<MetricValues[]> {
  const readers = rows.plan.metrics.map((metric) => readerOf(metric, rows, exposures.actors, asked));
  await addRows(
    rows,
    exposures,
    readers.flatMap(({ columns }) => columns),
  );
  await visitSequences(
    rows,
    exposures,
    readers.flatMap(({ sequence }) => sequence ?? []),
  );
  return readers.map(({ values }) => values());
}

/** What is added up from the events of one entity. */
interface ColumnReader {
  bit: number;
  /** Null: every event counts as 1. */
  numbers: Float64Array | null;
  windowMs: number;
  until: number;
  lookbackMs: number;
  after: MeasuredColumn | null;
  before: MeasuredColumn | null;
}

interface MetricReader {
  columns: ColumnReader[];
  sequence: Sequence | null;
  values(): MetricValues;
}

function readerOf(metric: MetricQuestion, rows: ExperimentRows, actors: number, asked: Asked): MetricReader {
  switch (metric.kind) {
    case 'funnel':
      return funnelReader(metric, rows, actors, asked);
    case 'retention': {
      const sequence = new RetainedActors(metric, rows.plan, actors, asked.until, asked.timezone);
      const columns = [sequence.completed, sequence.started];
      return { columns: [], sequence, values: () => ({ columns, depths: null }) };
    }
    default: {
      const columns = measuredIn(metric).map((measured) => columnReader(metric, measured, rows, actors, asked));
      const values = (): Float64Array[] =>
        columns.flatMap(({ after, before }) => [after, before].flatMap((column) => column?.values() ?? []));
      return { columns, sequence: null, values: () => ({ columns: values(), depths: null }) };
    }
  }
}

function columnReader(
  metric: MetricQuestion,
  { entity, measure }: MeasuredEntity,
  { plan, numbers }: ExperimentRows,
  actors: number,
  { until }: Asked,
): ColumnReader {
  return {
    bit: bitOf(plan, entity),
    numbers: measure.kind === 'count' ? null : (numbers.get(measure.property) ?? null),
    windowMs: metric.windowMs ?? Number.POSITIVE_INFINITY,
    until: metric.windowMs === null ? until : Number.POSITIVE_INFINITY,
    lookbackMs: metric.lookbackMs ?? 0,
    after: new MeasuredColumn(measure.kind, actors),
    before: metric.lookbackMs === null ? null : new MeasuredColumn(measure.kind, actors),
  };
}

/** The past of a funnel is the number of its last step's events. */
function funnelReader(
  metric: MetricQuestion & { kind: 'funnel' },
  rows: ExperimentRows,
  actors: number,
  asked: Asked,
): MetricReader {
  const sequence = new FunnelDepths(metric, rows.plan, actors, asked.until);
  const last = metric.steps.at(-1);
  const past =
    last === undefined || metric.lookbackMs === null
      ? null
      : { ...columnReader(metric, { entity: last, measure: { kind: 'count' } }, rows, actors, asked), after: null };
  const values = (): MetricValues => {
    const isDone = Float64Array.from(sequence.depths, (depth) => (depth === metric.steps.length ? 1 : 0));
    return { columns: [isDone, ...(past?.before ? [past.before.values()] : [])], depths: sequence.depths };
  };
  return { columns: past === null ? [] : [past], sequence, values };
}

async function addRows(
  { actor, key, encoding, plan }: ExperimentRows,
  { since }: ActorExposures,
  readers: readonly ColumnReader[],
): Promise<void> {
  const byBits = Array.from({ length: 2 ** plan.entities.length }, (_, bits) =>
    readers.filter(({ bit }) => (bits & bit) !== 0),
  );
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const who = actor[row] as number;
      const exposedAt = since[who] as number;
      if (Number.isNaN(exposedAt)) continue;
      const own = key[row] as number;
      const elapsed = Math.floor(own / encoding.base);
      const at = encoding.from + elapsed;
      for (const reader of byBits[own - elapsed * encoding.base] ?? []) addEvent(reader, row, who, at, exposedAt);
    }
  });
}

function addEvent(reader: ColumnReader, row: number, actor: number, at: number, exposedAt: number): void {
  const number = reader.numbers === null ? 1 : (reader.numbers[row] as number);
  if (Math.abs(number) >= MAX_VALUE) return;
  if (at < exposedAt) {
    if (at >= exposedAt - reader.lookbackMs) reader.before?.add(actor, number);
  } else if (at < exposedAt + reader.windowMs && at < reader.until) reader.after?.add(actor, number);
}

async function visitSequences(
  rows: ExperimentRows,
  exposures: ActorExposures,
  sequences: readonly Sequence[],
): Promise<void> {
  if (sequences.length === 0) return;
  const mask = sequences.reduce((bits, sequence) => bits | sequence.mask, 0);
  const chosen = await rowsAfterExposure(rows, exposures, mask);
  const { tieOrder } = rows;
  const keys = await ActorKeys.group(chosen.actor, chosen.key, rows.encoding, {
    tieOrder: tieOrder && ((a, b) => tieOrder(chosen.rows[a] as number, chosen.rows[b] as number)),
    hasNames: false,
  });
  await inBatches(keys.actors, ACTOR_BATCH_SIZE, (first, past) => {
    for (let actor = first; actor < past; actor++) {
      const events = keys.of(actor);
      if (events.count === 0) continue;
      for (const sequence of sequences) sequence.visit(actor, exposures.since[actor] as number, events);
    }
  });
}

/** The rows with one of the bits of those who count, from their exposure on. */
async function rowsAfterExposure(rows: ExperimentRows, { since }: ActorExposures, mask: number) {
  const { actor, key, encoding } = rows;
  const found = new Int32Array(actor.length);
  let count = 0;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const elapsed = Math.floor((key[row] as number) / encoding.base);
      const bits = (key[row] as number) - elapsed * encoding.base;
      // Nobody's NaN is before anything.
      if ((bits & mask) !== 0 && encoding.from + elapsed >= (since[actor[row] as number] as number))
        found[count++] = row;
    }
  });
  const chosen = { rows: found.subarray(0, count) };
  return { ...chosen, actor: await reorderColumn(chosen, actor), key: await reorderColumn(chosen, key) };
}
