import { describe, expect, it } from 'vitest';
import { arrivalOf, readImportLine } from './import-line.ts';

const FALLBACK = '11111111-1111-5111-8111-111111111111';
const UUID = '018d4a3f-0000-7000-8000-000000000001';
const read = (line: unknown) => readImportLine(typeof line === 'string' ? line : JSON.stringify(line), FALLBACK);
const good = { event: 'e', distinct_id: 'd', timestamp: '2025-01-01T00:00:00Z' };

describe('a line of an export', () => {
  it.each([
    ['no JSON', '{"event"', 'it is not JSON'],
    ['a list', [], 'it is not a JSON object'],
    ['properties that are a number', { ...good, properties: 7 }, 'its properties are not a JSON object'],
    ['properties that are a broken text', { ...good, properties: '{' }, 'its properties are not a JSON object'],
    ['no time at all', { event: 'e', distinct_id: 'd' }, 'its timestamp cannot be read'],
    ['a uuid that is none', { ...good, uuid: 7 }, 'its uuid is invalid'],
    ['a person without ids', { distinct_ids: ['', null, {}] }, 'it is a person without distinct ids'],
    [
      'a person that was deleted',
      { person_id: UUID, distinct_id: 'd', is_deleted: 1 },
      'it is a person that was deleted',
    ],
    ['something else', { hello: 1 }, 'it is neither an event nor a person'],
  ])('with %s is invalid', (_name, line, reason) => {
    expect(read(line)).toEqual({ kind: 'bad', reason });
  });

  it('is an event with its uuid; other columns become properties, unless they exist', () => {
    const line = {
      ...good,
      uuid: UUID,
      created_at: '2025-01-01T00:00:01Z',
      elements_chain: 'a:x',
      ip: '203.0.113.9',
      set: '{"a":1}',
      set_once: {},
      properties: '{"$ip":"203.0.113.1"}',
    };
    expect(read(line)).toEqual({
      kind: 'event',
      event: {
        ...good,
        uuid: UUID,
        created_at: '2025-01-01T00:00:01Z',
        properties: { $elements_chain: 'a:x', $ip: '203.0.113.1', $set: { a: 1 } },
      },
    });
  });

  it('gets the fallback uuid if it has none, and the time of arrival if it has no timestamp', () => {
    const line = { event: 'e', distinct_id: 'd', created_at: '2025-01-01' };
    expect(read(line)).toMatchObject({ kind: 'event', event: { uuid: FALLBACK, timestamp: '2025-01-01' } });
  });

  it('is a person with one id or many', () => {
    expect(read({ person_id: UUID.toUpperCase(), distinct_id: 'd', properties: null })).toEqual({
      kind: 'person',
      person: { uuid: UUID, distinctIds: ['d'], createdAt: null, isIdentified: null, properties: {} },
    });
    expect(read('{"distinct_ids":[7,1043520612345678901,"1043520612345678901"]}')).toMatchObject({
      person: { distinctIds: ['7', '1043520612345678901'] },
    });
    expect(read({ distinct_ids: ['a', 'b', 'a'], is_identified: true, created_at: '2025-01-01T00:00:00Z' })).toEqual({
      kind: 'person',
      person: { uuid: null, distinctIds: ['a', 'b'], createdAt: Date.UTC(2025, 0), isIdentified: true, properties: {} },
    });
  });
});

it('has its own time of arrival, but not later than here', () => {
  expect(arrivalOf({ created_at: '1970-01-01T00:00:05Z' }, 9000)).toBe(5000);
  expect(arrivalOf({ created_at: '2030-01-01T00:00:00Z' }, 9000)).toBe(9000);
  expect(arrivalOf({ created_at: 'then' }, 9000)).toBe(9000);
});
