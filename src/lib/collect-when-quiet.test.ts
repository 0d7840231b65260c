import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { collectWhenQuiet } from './collect-when-quiet.ts';

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

/** Objects that survive, as at a start: the memory for new ones grows. */
function growYoungGeneration(): void {
  const kept: object[] = [];
  for (let n = 0; n < 1_000_000; n++) kept.push({ n });
}

it('shrinks the memory for new objects once, when the thread has nothing to do', async () => {
  growYoungGeneration();
  const before = youngBytes();
  let times = 0;
  // It gives up where other tests keep the thread busy.
  while (times === 0) {
    collectWhenQuiet(50, () => times++);
    for (let waits = 0; waits < 40 && times === 0; waits++) await sleep(50);
  }
  expect(youngBytes()).toBeLessThan(before);
  await sleep(200);
  expect(times).toBe(1);
});
