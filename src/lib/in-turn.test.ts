import { setImmediate as tick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

it('starts a call when the former has ended, and after one that failed', async () => {
  const log: string[] = [];
  let n = 0;
  const call = inTurn(async () => {
    const own = ++n;
    log.push(`begin ${own}`);
    await tick();
    if (own === 1) throw new Error('first');
    log.push(`end ${own}`);
  });
  const results = await Promise.allSettled([call(), call(), call()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log).toEqual(['begin 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
});
