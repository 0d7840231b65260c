import { expect, it } from 'vitest';
import { keepTickShape } from './keep-tick-shape.ts';

it('keeps an object that process.nextTick has made, and only one', async () => {
  const first = await new Promise<object>((resolve) => keepTickShape(resolve));
  expect(Object.keys(first)).toEqual(['callback', 'args']);
  // With a third one where the test runner uses asynchronous contexts.
  const symbols = Object.getOwnPropertySymbols(first).map(String);
  expect(symbols.slice(0, 2)).toEqual(['Symbol(async_id_symbol)', 'Symbol(trigger_async_id_symbol)']);
  expect(await new Promise<object>((resolve) => keepTickShape(resolve))).toBe(first);
});
