import { expect, it } from 'vitest';
import { parseWithPayloads } from './payload-numbers.ts';

const LONG = '1043520612345678901';
/** Browsers have it; Node since version 21. */
const canKeepDigits = 'rawJSON' in JSON;

it.skipIf(!canKeepDigits).each([
  ['a flag', `{"filters":{"payloads":{"true":${LONG}}}}`],
  ['a list of flags', `{"results":[{"filters":{"payloads":{"a":{"b":[-${LONG}]},"c":1}}}]}`],
  ['texts', `{"payloads":{"true":"${LONG}"}}`],
])('keeps all digits in the payloads of %s', (_name, text) => {
  expect(JSON.stringify(parseWithPayloads(text))).toBe(text);
});

it.each([
  ['numbers elsewhere', `{"payloads":{"true":1},"id":${LONG}}`],
  ['exact numbers', '{"payloads":{"true":9007199254740992}}'],
  ['no payloads', `{"id":${LONG}}`],
  ['null', 'null'],
])('parses %s as always', (_name, text) => {
  expect(parseWithPayloads(text)).toEqual(JSON.parse(text));
});
