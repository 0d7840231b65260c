import { eachInTurn, inBatches } from '../../../lib/in-batches.ts';
import { ROW_BATCH_SIZE } from '../../insights/shared/actor-rows.ts';
import { type ExposureQuestion, exposureVariant } from '../rules/experiment-question.ts';
import type { ExperimentRows, ExposureRows } from './experiment-rows.ts';

/** Who counts, by actor. */
export interface ActorExposures {
  readonly actors: number;
  /** The first exposure, ms UTC; NaN for those who do not count. */
  readonly since: Float64Array;
  /** The `exposureCode` of the first exposure; 0 for those who do not count. */
  readonly code: Int32Array;
  /** 1 for those who met several variants, 2 where it is known that it was under one distinct id. */
  readonly several: Uint8Array;
}

/** Exposures before `until`. */
export async function exposuresByActor(
  rows: ExperimentRows,
  { severalVariants }: Pick<ExposureQuestion, 'severalVariants'>,
  until: number,
): Promise<ActorExposures> {
  const { actors, plan } = rows;
  const { actor, at: times, code: codes, tieOrder } = rows.exposures;
  const [since, code] = [new Float64Array(actors).fill(Number.NaN), new Int32Array(actors)];
  const [firstRow, met] = [new Int32Array(actors), new Int32Array(actors)];
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const who = actor[row] as number;
      const at = times[row] as number;
      const own = codes[row] as number;
      if (at >= until) continue;
      const first = since[who] as number;
      (met[who] as number) |= 1 << exposureVariant(own);
      const isFirst =
        !(first <= at) || (first === at && tieOrder !== null && tieOrder(row, firstRow[who] as number) < 0);
      if (!isFirst) continue;
      since[who] = at;
      code[who] = own;
      firstRow[who] = row;
    }
  });
  if (plan.activation !== 0) await activate(rows, since, until);
  const several = new Uint8Array(actors);
  for (let who = 0; who < actors; who++) {
    if (Number.isNaN(since[who] as number) || !hasSeveralBits(met[who] as number)) continue;
    several[who] = 1;
    if (severalVariants === 'exclude') since[who] = Number.NaN;
  }
  for (let who = 0; who < actors; who++) if (Number.isNaN(since[who] as number)) code[who] = 0;
  markSameId(rows.exposures, several, until);
  return { actors, since, code, several };
}

/** Those who met several variants under one distinct id, if it is known. */
function markSameId({ actor, at, code, distinctId }: ExposureRows, several: Uint8Array, until: number): void {
  if (distinctId === null) return;
  const met = new Map<string, number>();
  for (let row = 0; row < actor.length; row++) {
    const who = actor[row] as number;
    if (several[who] === 0 || (at[row] as number) >= until) continue;
    const id = `${who} ${distinctId[row]}`;
    const bits = (met.get(id) ?? 0) | (1 << exposureVariant(code[row] as number));
    met.set(id, bits);
    if (hasSeveralBits(bits)) several[who] = 2;
  }
}

/** From their first exposure to the first activation after it; NaN for those without any. */
async function activate({ blocks, plan }: ExperimentRows, since: Float64Array, until: number): Promise<void> {
  const first = new Float64Array(since.length).fill(Number.NaN);
  await eachInTurn(blocks.with(plan.activation), (block) => {
    for (let row = 0; row < block.count; row++) {
      const who = block.actor[row] as number;
      const at = block.at[row] as number;
      if (at >= (since[who] as number) && at < until && !((first[who] as number) <= at)) first[who] = at;
    }
  });
  since.set(first);
}

/** The codes of those who count and were first exposed before a time (null: whenever); 0 for all others. */
export function codesBefore({ actors, since, code }: ActorExposures, before: number | null): Int32Array {
  if (before === null) return code.subarray(0, actors);
  const codes = new Int32Array(actors);
  for (let who = 0; who < actors; who++) if ((since[who] as number) < before) codes[who] = code[who] as number;
  return codes;
}

const hasSeveralBits = (bits: number): boolean => (bits & (bits - 1)) !== 0;
