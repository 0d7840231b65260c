import { setImmediate as tick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurn } from './in-turn.ts';

/** Logs the begin and the end of each run; the runs of these numbers fail. */
function logged(...failing: number[]): { call: () => Promise<void>; log: string[] } {
  const log: string[] = [];
  let runs = 0;
  const call = inTurn(async () => {
    const own = ++runs;
    log.push(`begin ${own}`);
    await tick();
    log.push(`end ${own}`);
    if (failing.includes(own)) throw new Error(`run ${own}`);
  });
  return { call, log };
}

it('answers all calls during a run by one run after it', async () => {
  const { call, log } = logged();
  await Promise.all([call(), call(), call()]);
  expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  await call();
  expect(log.slice(4)).toEqual(['begin 3', 'end 3']);
});

it('answers a call during the second run by a third', async () => {
  const { call, log } = logged();
  await call();
  const second = call();
  await Promise.resolve();
  await Promise.all([second, call(), call()]);
  expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
});

it('runs at most once at a time, whenever it is called', async () => {
  const { call, log } = logged();
  const calls: Promise<void>[] = [];
  for (let i = 0; i < 20; i++) {
    calls.push(call());
    if (i % 3 === 0) await calls[0];
    for (let ticks = i % 5; ticks > 0; ticks--) await Promise.resolve();
    if (i % 7 === 0) await calls.at(-2);
  }
  await Promise.all(calls);
  expect(log).toEqual(log.map((_, i) => `${i % 2 === 0 ? 'begin' : 'end'} ${Math.floor(i / 2) + 1}`));
});

it('runs after a failed run, whose error only its own callers get', async () => {
  const { call, log } = logged(1);
  const results = await Promise.allSettled([call(), call(), call()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
});
