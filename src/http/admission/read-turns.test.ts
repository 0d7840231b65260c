import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadTurns } from './read-turns.ts';

const MB = 1024 * 1024;
const body = (): IncomingMessage => new PassThrough().resume() as unknown as IncomingMessage;

it('lets small bodies go on', async () => {
  const turns = new ReadTurns();
  const bodies = [body(), body(), body()];
  for (const one of bodies) turns.onRead(one, 1000);
  expect(bodies.map((one) => one.isPaused())).toEqual([false, false, false]);
});

it('lets bodies beyond a megabyte wait for the next turn', async () => {
  const turns = new ReadTurns();
  const [first, second] = [body(), body()];
  turns.onRead(first, MB);
  turns.onRead(second, 1);
  expect([first.isPaused(), second.isPaused()]).toEqual([false, true]);
  await nextTurn();
  expect(second.isPaused()).toBe(false);
});

it('lets a few go on in each turn, in the order they came', async () => {
  const turns = new ReadTurns();
  const bodies = Array.from({ length: 6 }, body);
  for (const one of bodies) turns.onRead(one, 2 * MB);
  const paused = () => bodies.map((one) => Number(one.isPaused())).join('');
  expect(paused()).toBe('111111');
  await nextTurn();
  expect(paused()).toBe('000011');
  await nextTurn();
  expect(paused()).toBe('000000');
});
