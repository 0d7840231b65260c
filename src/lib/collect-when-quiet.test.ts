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
  await new Promise<void>((resolve) => {
    collectWhenQuiet(50, () => {
      times++;
      resolve();
    });
  });
  expect(youngBytes()).toBeLessThan(before);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(times).toBe(1);
});
