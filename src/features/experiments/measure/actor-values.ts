/** The values of everybody who counts, for several metrics at once. */
import { eachInTurn, inBatches } from '../../../lib/in-batches.ts';
import { ActorKeys } from '../../insights/shared/actor-keys.ts';
import { ACTOR_BATCH_SIZE } from '../../insights/shared/actor-rows.ts';
import type { MetricQuestion } from '../rules/experiment-question.ts';
import type { ActorExposures } from './actor-exposures.ts';
import type { ExperimentRows } from './experiment-rows.ts';
import { orderedDepths, SortedFunnel, unorderedDepths } from './funnel-depths.ts';
import { MeasuredColumns } from './measured-columns.ts';
import type { MeasuredRows } from './measured-rows.ts';
import { isSorted, measuredIn } from './metric-plan.ts';
import { retainedActors } from './retained-actors.ts';
import { rowId } from './row-blocks.ts';

/** Columns by actor. */
export interface MetricValues {
  /** In the order value, past, value of the denominator, its past; pasts only where they are measured. */
  readonly columns: readonly Float64Array[];
  /** Of funnels: how many steps were done. */
  readonly depths: Uint8Array | null;
  /** How many events have no number that counts, by what is measured. */
  readonly ignored: readonly Float64Array[];
}

type Funnel = MetricQuestion & { kind: 'funnel' };

export async function valuesByActor(
  rows: ExperimentRows,
  exposures: ActorExposures,
  { until, timezone }: { until: number; timezone: string },
): Promise<MetricValues[]> {
  const columns = new MeasuredColumns(rows, exposures, until);
  const measured = { rows, exposures, columns, until, timezone };
  const sorted = await sortedDepths(measured);
  const values: MetricValues[] = [];
  for (const metric of rows.plan.metrics) values.push(await valuesOf(metric, measured, sorted));
  return values;
}

async function valuesOf(
  metric: MetricQuestion,
  measured: MeasuredRows,
  sorted: ReadonlyMap<MetricQuestion, Uint8Array>,
): Promise<MetricValues> {
  if (metric.kind === 'retention')
    return { columns: await retainedActors(metric, measured), depths: null, ignored: [] };
  if (metric.kind === 'funnel') return funnelValues(metric, measured, sorted.get(metric));
  const columns: Float64Array[] = [];
  const ignored: Float64Array[] = [];
  for (const one of measuredIn(metric)) {
    const { after, before, ignored: own } = await measured.columns.get(one, metric);
    columns.push(after, ...(before === null ? [] : [before]));
    if (own !== null) ignored.push(own);
  }
  const threshold = metric.kind === 'mean' ? (metric.threshold ?? null) : null;
  if (threshold === null) return { columns, depths: null, ignored };
  const reached = columns.map((column) => column.map((value) => (value >= threshold ? 1 : 0)));
  return { columns: reached, depths: null, ignored };
}

/** The past of a funnel is the number of its last step's events. */
async function funnelValues(metric: Funnel, measured: MeasuredRows, sorted?: Uint8Array): Promise<MetricValues> {
  const find = metric.order === 'unordered' ? unorderedDepths : orderedDepths;
  const depths = sorted ?? (await find(metric, measured));
  const isDone = new Float64Array(depths.length);
  for (let who = 0; who < depths.length; who++) isDone[who] = depths[who] === metric.steps.length ? 1 : 0;
  const last = metric.steps.at(-1);
  if (last === undefined || metric.lookbackMs === null) return { columns: [isDone], depths, ignored: [] };
  const { before } = await measured.columns.get({ entity: last, measure: { kind: 'count' } }, metric);
  return { columns: [isDone, ...(before === null ? [] : [before])], depths, ignored: [] };
}

/** The funnels that need somebody's events in their order. */
async function sortedDepths({ rows, exposures, until }: MeasuredRows): Promise<Map<MetricQuestion, Uint8Array>> {
  const metrics = rows.plan.metrics.filter((metric): metric is Funnel => isSorted(metric));
  const funnels = metrics.map((metric) => new SortedFunnel(metric, rows.plan, exposures.actors, until));
  if (funnels.length === 0) return new Map();
  const mask = funnels.reduce((bits, funnel) => bits | funnel.mask, 0);
  const chosen = await rowsAfterExposure(rows, exposures.since, rows.plan.readsAll ? null : mask);
  const { tieOrder } = rows;
  const keys = await ActorKeys.group(chosen.actor, chosen.key, rows.encoding, {
    tieOrder: tieOrder && ((a, b) => tieOrder(chosen.ids[a] as number, chosen.ids[b] as number)),
    hasNames: false,
  });
  await inBatches(keys.actors, ACTOR_BATCH_SIZE, (first, past) => {
    for (let actor = first; actor < past; actor++) {
      const events = keys.of(actor);
      if (events.count === 0) continue;
      for (const funnel of funnels) funnel.visit(actor, exposures.since[actor] as number, events);
    }
  });
  return new Map(metrics.map((metric, at) => [metric, funnels[at]?.depths ?? new Uint8Array(0)]));
}

/** The rows with one of the bits (null: all) of those who count, from their exposure on, as keys. */
async function rowsAfterExposure({ blocks, encoding }: ExperimentRows, since: Float64Array, mask: number | null) {
  const chosen = blocks.with(mask);
  const rows = chosen.reduce((sum, { count }) => sum + count, 0);
  const [ids, actor, key] = [new Int32Array(rows), new Int32Array(rows), new Float64Array(rows)];
  let count = 0;
  await eachInTurn(chosen, (block) => {
    for (let row = 0; row < block.count; row++) {
      const who = block.actor[row] as number;
      const at = block.at[row] as number;
      // Nobody's NaN is before anything.
      if (!(at >= (since[who] as number))) continue;
      ids[count] = rowId(block, row);
      actor[count] = who;
      key[count++] = (at - encoding.from) * encoding.base + block.bits;
    }
  });
  return { ids: ids.subarray(0, count), actor: actor.subarray(0, count), key: key.subarray(0, count) };
}
