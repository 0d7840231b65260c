import { expect, it } from 'vitest';
import { keepTickShape } from './keep-tick-shape.ts';

it('keeps an object that process.nextTick has made, and only one', async () => {
  const first = await new Promise<object>((resolve) => keepTickShape(resolve));
  const symbols = Object.getOwnPropertySymbols(first).map(String);
  expect([...symbols, ...Object.keys(first)]).toEqual([
    'Symbol(async_id_symbol)',
    'Symbol(trigger_async_id_symbol)',
    'callback',
    'args',
  ]);
  expect(await new Promise<object>((resolve) => keepTickShape(resolve))).toBe(first);
});
