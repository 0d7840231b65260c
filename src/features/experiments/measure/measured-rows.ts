import type { ActorExposures } from './actor-exposures.ts';
import type { ExperimentRows } from './experiment-rows.ts';
import type { MeasuredColumns } from './measured-columns.ts';

/** What all metrics are calculated from. */
export interface MeasuredRows {
  rows: ExperimentRows;
  exposures: ActorExposures;
  columns: MeasuredColumns;
  /** Events before this count, and later ones where a metric has a window. */
  until: number;
  timezone: string;
}
