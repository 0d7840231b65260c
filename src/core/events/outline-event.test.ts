import { expect, it } from 'vitest';
import { outlineOf } from './outline-event.ts';

function outline(text: string): unknown {
  const steps = outlineOf(Buffer.from(text));
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

it.each<[string, string, unknown]>([
  ['nothing', '', {}],
  ['a list', '[{"event":"e"}]', {}],
  ['what is wanted', '{"event":"e","other":1,"distinct_id":7,"project_id":null}', { event: 'e', distinct_id: 7 }],
  ['every digit of an id', '{"distinct_id":1043520612345678901}', { distinct_id: 1043520612345678901n }],
  ['spaces', ' { "event" : "e" , "uuid" : "u" } ', { event: 'e', uuid: 'u' }],
  ['quotes and brackets in texts', '{"a":"\\"}{[,:","event":"a \\"b\\", {c}"}', { event: 'a "b", {c}' }],
  [
    'the properties',
    '{"properties":{"a":{"token":"no"},"token":"k"},"event":"e"}',
    { properties: { token: 'k' }, event: 'e' },
  ],
  ['the key at the end', '{"properties":{"a":[1,{"event":"no"}]},"api_key":"k"}', { api_key: 'k' }],
  ['nothing of other objects', '{"a":{"event":"no","token":"no"},"b":[{"event":"no"}],"event":"e"}', { event: 'e' }],
  ['no containers', '{"event":{"a":1},"distinct_id":["d"],"api_key":"k"}', { api_key: 'k' }],
  ['no long values', `{"event":"${'x'.repeat(600)}","api_key":"k"}`, { api_key: 'k' }],
  ['the last of two', '{"event":"a","event":"b"}', { event: 'b' }],
  ['what is there of a damaged one', '{"event":"e","distinct_id":', { event: 'e' }],
])('reads %s', (_name, text, expected) => {
  expect(outline(text)).toEqual(expected);
});

it('lets others work in between', () => {
  const steps = [...outlineOf(Buffer.from(JSON.stringify({ a: 'x'.repeat(1_000_000) })))];
  expect(steps.length).toBeGreaterThan(2);
});
