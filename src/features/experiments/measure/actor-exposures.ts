import { inBatches } from '../../../lib/in-batches.ts';
import { ROW_BATCH_SIZE } from '../../insights/shared/actor-rows.ts';
import { type ExposureQuestion, exposureVariant } from '../rules/experiment-question.ts';
import type { ExperimentRows } from './experiment-rows.ts';

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
  const { actor, key, exposure, encoding, tieOrder, plan } = rows;
  const actors = await countActors(actor);
  const [since, code] = [new Float64Array(actors).fill(Number.NaN), new Int32Array(actors)];
  const [firstRow, met] = [new Int32Array(actors), new Int32Array(actors)];
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const own = exposure[row] as number;
      if (own === 0) continue;
      const at = encoding.from + Math.floor((key[row] as number) / encoding.base);
      if (at >= until) continue;
      const who = actor[row] as number;
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
  return { actors, since, code, several };
}

/** From their first exposure to the first activation after it; NaN for those without any. */
async function activate({ actor, key, encoding, plan }: ExperimentRows, since: Float64Array, until: number) {
  const first = new Float64Array(since.length).fill(Number.NaN);
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) {
      const elapsed = Math.floor((key[row] as number) / encoding.base);
      const bits = (key[row] as number) - elapsed * encoding.base;
      if ((bits & plan.activation) === 0) continue;
      const [who, at] = [actor[row] as number, encoding.from + elapsed];
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

async function countActors(actor: Int32Array): Promise<number> {
  let highest = -1;
  await inBatches(actor.length, ROW_BATCH_SIZE, (from, to) => {
    for (let row = from; row < to; row++) if ((actor[row] as number) > highest) highest = actor[row] as number;
  });
  return highest + 1;
}
