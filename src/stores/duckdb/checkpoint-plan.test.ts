import { describe, expect, it } from 'vitest';
import { CheckpointPlan, ROW_GROUP_ROWS } from './checkpoint-plan.ts';

const CHUNK = 5000;

/** After how many chunks of 1 MB a checkpoint is due; `fails`: how many of them in a row fail. */
function dueAfter(chunks: number, { maxBytes = Infinity, fails = 0 } = {}): number[] {
  const plan = new CheckpointPlan(maxBytes);
  const due: number[] = [];
  let [bytes, failed] = [0, 0];
  for (let n = 1; n <= chunks; n++) {
    bytes += 1e6;
    if (!plan.isDue(CHUNK, bytes)) continue;
    due.push(n);
    if (failed++ >= fails) [bytes, failed] = [0, 0];
  }
  return due;
}

describe('a checkpoint is due', () => {
  it('when the rows since the last one nearly fill a row group, and never after it', () => {
    expect(dueAfter(70)).toEqual([23, 46, 69]);
    expect(23 * CHUNK).toBeLessThan(ROW_GROUP_ROWS);
  });

  it('again after the next write if it failed, but not with a few rows in the next group', () => {
    expect(dueAfter(60, { fails: 1 })).toEqual([23, 24, 47, 48]);
    expect(dueAfter(60, { fails: 2 })).toEqual([23, 24, 47]);
  });

  it('when the journal is large, whatever it contains', () => {
    expect(dueAfter(30, { maxBytes: 10e6 })).toEqual([10, 20, 30]);
    expect(new CheckpointPlan(1000).isDue(0, 1000)).toBe(true);
  });

  it('counted from a checkpoint that somebody else made', () => {
    const plan = new CheckpointPlan(Infinity);
    expect(plan.isDue(100_000, 100)).toBe(false);
    expect(plan.isDue(CHUNK, 10)).toBe(false);
    expect(plan.isDue(100_000, 110)).toBe(false);
    expect(plan.isDue(CHUNK + 1000, 120)).toBe(true);
  });
});
