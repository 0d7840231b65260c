import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { withoutWideIntegers } from '../events/readable-json.ts';
import { packBlock } from './event-block.ts';

const unpacked = (...blocks: Uint8Array[]): unknown[] =>
  gunzipSync(Buffer.concat(blocks))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('a block of events', () => {
  it('names its columns and leaves out what is null', () => {
    const event = anEvent({
      uuid: uuidOf(7),
      timestamp: 5.7,
      properties: { $browser: 'Firefox', n: 1 },
      groups: [null, 'acme', null, null, null],
    });
    expect(unpacked(packBlock([event]))).toEqual([
      {
        project_id: 1,
        uuid: uuidOf(7),
        event: 'ping',
        distinct_id: 'ada',
        person_id: uuidOf(0xaaaa),
        timestamp: 5,
        created_at: 1_700_000_001_456,
        properties: '{"$browser":"Firefox","n":1}',
        elements_chain: '',
        group_1: 'acme',
        $browser: 'Firefox',
      },
    ]);
  });

  it('is joined with others by putting one behind the other', () => {
    const [a, b] = [anEvent(), anEvent()];
    const ids = unpacked(packBlock([a]), packBlock([]), packBlock([b])).map((row) => (row as { uuid: string }).uuid);
    expect(ids).toEqual([a.uuid, b.uuid]);
  });

  it('is not made of what cannot be stored', () => {
    expect(() => packBlock([anEvent(), { ...anEvent(), personId: 'nobody' }])).toThrow('Not a UUID: "nobody"');
  });

  it('holds no halves of characters, neither in texts nor in properties', () => {
    const [row] = unpacked(packBlock([anEvent({ distinctId: 'a\ud800', properties: { x: '\udc00' } })]));
    expect(row).toMatchObject({ distinct_id: 'a\ufffd', properties: '{"x":"\\ufffd"}' });
  });
});

describe('withoutWideIntegers', () => {
  it.each([
    ['{"a":123456789012345680000}', '{"a":1.2345678901234568e+20}'],
    ['{"a":-100000000000000000000,"b":[18446744073709552000]}', '{"a":-1e+20,"b":[1.8446744073709552e+19]}'],
    ['{"a":"123456789012345680000\\"123456789012345680000"}', '{"a":"123456789012345680000\\"123456789012345680000"}'],
    ['{"a":0.00000012345678901234567890,"b":1e+21}', '{"a":0.00000012345678901234567890,"b":1e+21}'],
    ['{"a":9007199254740993}', '{"a":9007199254740993}'],
  ])('makes %s into %s', (json, readable) => {
    expect(withoutWideIntegers(json)).toBe(readable);
    expect(JSON.parse(readable)).toEqual(JSON.parse(json));
  });
});
