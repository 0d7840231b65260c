/** The exposures and the metric events of some of the exposed, or of all, as columns of numbers. */
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import type { TieOrder } from '../../insights/shared/actor-rows.ts';
import type { MetricPlan } from './metric-plan.ts';
import type { RowBlocks } from './row-blocks.ts';

export interface ExperimentRows {
  /** One more than the highest number of an actor. */
  readonly actors: number;
  readonly exposures: ExposureRows;
  readonly blocks: Pick<RowBlocks, 'with'>;
  /** The order of two rows at the same time, by their `rowId`; null where it does not matter. */
  readonly tieOrder: TieOrder;
  readonly encoding: KeyEncoding;
  readonly plan: MetricPlan;
}

export interface ExposureRows {
  readonly actor: Int32Array;
  /** ms UTC. */
  readonly at: Float64Array;
  /** The `exposureCode`. */
  readonly code: Int32Array;
  /** A number for each distinct id; null where they are not read. */
  readonly distinctId: Float64Array | null;
  /** The order of two of these rows at the same time; null where it does not matter. */
  readonly tieOrder: TieOrder;
}
