import { expect, it } from 'vitest';
import { BodyMemory } from './body-memory.ts';

const open = (memory: BodyMemory, evicted: string[], name: string) => {
  const body = memory.open();
  body.onEvicted = () => void evicted.push(name);
  return body;
};

it('gives up the bodies that have waited longest for their next bytes', () => {
  const memory = new BodyMemory(100);
  const evicted: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => open(memory, evicted, name));
  expect([a?.add(40), b?.add(40), a?.add(10)]).toEqual([true, true, true]);
  expect(c?.add(30)).toBe(true);
  expect([evicted, memory.bytes]).toEqual([['b'], 80]);
  // What is released already is not released again.
  b?.release();
  expect(memory.bytes).toBe(80);
});

it('never gives up a body that is complete; then the new one is refused', () => {
  const memory = new BodyMemory(100);
  const evicted: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => open(memory, evicted, name));
  a?.add(90);
  a?.keep();
  expect([b?.add(20), evicted]).toEqual([false, []]);
  b?.release();
  a?.release();
  expect(memory.bytes).toBe(0);
});
