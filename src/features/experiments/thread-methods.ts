/** What the second thread does for experiments: pure work on columns of numbers. */
import { leave } from '../../lib/rpc.ts';
import { measuredColumns } from './measure/actor-table.ts';
import type { ExperimentRows, ExposureRows } from './measure/experiment-rows.ts';
import { type MeasuredActors, measureActors } from './measure/measured-actors.ts';
import { planReading } from './measure/reading.ts';
import { chooseBlocks, type RowBlock } from './measure/row-blocks.ts';
import type { ExperimentQuestion } from './rules/experiment-question.ts';

/** Rows of which the order at the same time does not matter. */
interface LeftRows {
  actors: number;
  exposures: ExposureRows;
  blocks: readonly RowBlock[];
}

/** Leaves rows to the other thread, without a copy. */
export function leaveRows({ actors, exposures, blocks }: ExperimentRows): LeftRows {
  const all = blocks.with(null);
  const columns = all.flatMap(({ actor, at, numbers }) => [actor, at, ...numbers.filter((own) => own !== null)]);
  return leave({ actors, exposures, blocks: all }, columns);
}

export const experimentThreadMethods = {
  async measureRows(question: ExperimentQuestion, { blocks, ...left }: LeftRows): Promise<MeasuredActors> {
    const { exposure } = question;
    const { plan, encoding } = planReading(question);
    const own = { with: (mask: number | null) => chooseBlocks(blocks, mask) };
    const rows = { ...left, blocks: own, tieOrder: null, encoding, plan };
    const measured = await measureActors(rows, exposure, exposure.range.until);
    return leave(measured, measuredColumns(measured));
  },
};

export type ExperimentThreadMethods = typeof experimentThreadMethods;
