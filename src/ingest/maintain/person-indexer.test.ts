import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openLog } from '../../lib/log.ts';
import { PersonIndexer } from './person-indexer.ts';

let indexer: PersonIndexer;
afterEach(() => indexer.stop());

/** An index to which so many pieces are missing. */
function given(pieces: number, fault?: Error) {
  const state = { pieces, looks: 0, fault };
  const catchUp = async (): Promise<boolean> => {
    state.looks++;
    const { fault } = state;
    state.fault = undefined;
    if (fault) throw fault;
    return state.pieces-- > 0;
  };
  indexer = new PersonIndexer({
    index: { catchUp },
    runExclusive: (work) => work(),
    logger: openLog('silent'),
    idleMs: 5,
    busyMs: 30,
  });
  return state;
}

it('writes everything while idle, then waits for events', async () => {
  const state = given(5);
  indexer.onIdle();
  await expect.poll(() => state.looks, { interval: 1 }).toBe(6);
  indexer.onIdle();
  await sleep(50);
  expect(state.looks).toBe(6);
  indexer.onProcessed();
  indexer.onIdle();
  await expect.poll(() => state.looks, { interval: 1 }).toBe(7);
});

it('writes one piece at a time while events keep coming', async () => {
  const state = given(100);
  indexer.onProcessed();
  await expect.poll(() => state.looks, { interval: 1 }).toBe(1);
  await expect.poll(() => state.looks, { interval: 1 }).toBe(2);
  expect(state.pieces).toBe(98);
});

it('tries again after a fault', async () => {
  const state = given(1, new Error('the disk is full'));
  indexer.onIdle();
  await expect.poll(() => state.looks, { interval: 1 }).toBe(3);
  expect(state.pieces).toBe(-1);
});

it('does nothing more once it is stopped', async () => {
  const state = given(100);
  indexer.onIdle();
  await indexer.stop();
  indexer.onProcessed();
  await sleep(50);
  expect(state.looks).toBe(0);
});
