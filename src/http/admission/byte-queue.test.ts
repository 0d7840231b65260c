import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ByteQueue } from './byte-queue.ts';

it('runs work in order, and no more at a time than fits', async () => {
  const queue = new ByteQueue(100);
  const [started, ends]: [string[], Map<string, () => void>] = [[], new Map()];
  const run = (name: string, bytes: number) =>
    queue.run(bytes, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
    await nextTurn();
  };
  const all = [run('a', 60), run('b', 30), run('larger than all', 500), run('c', 10)];
  await nextTurn();
  expect(started).toEqual(['a', 'b']);
  await end('a');
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'larger than all']);
  await end('larger than all');
  expect(started).toEqual(['a', 'b', 'larger than all', 'c']);
  await end('c');
  await Promise.all(all);
});

it('goes on after work that fails, and passes on the error', async () => {
  const queue = new ByteQueue(10);
  const failed = queue.run(10, async () => {
    throw new Error('a fault');
  });
  const next = queue.run(10, async () => 'next');
  await expect(failed).rejects.toThrow('a fault');
  expect(await next).toBe('next');
});
