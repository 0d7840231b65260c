import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../errors.ts';
import { extractEvents } from './extract-events.ts';
import { validateEvents } from './validate-events.ts';

const failure = (run: () => unknown): Failure => {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('extractEvents', () => {
  it('reads one event', () => {
    const event = { event: 'e', api_key: 'k', sent_at: 's', project_id: 3 };
    expect(extractEvents(event)).toEqual({
      events: [event],
      key: 'k',
      projectId: 3,
      sentAt: 's',
      historicalMigration: false,
      isSingle: true,
    });
  });

  it('reads a list, with the key of its first event', () => {
    const events = [{ event: 'a', properties: { token: 'k' }, project_id: '4' }, { event: 'b' }];
    expect(extractEvents(events)).toMatchObject({
      events,
      key: 'k',
      projectId: '4',
      sentAt: undefined,
      isSingle: false,
    });
  });

  it('reads an envelope, whose key wins', () => {
    const batch = [{ event: 'a', token: 'inner' }];
    const body = { api_key: 'outer', batch, sent_at: 's', historical_migration: true, project_id: 1 };
    expect(extractEvents(body)).toMatchObject({
      events: batch,
      key: 'outer',
      sentAt: 's',
      historicalMigration: true,
      projectId: 1,
    });
    expect(extractEvents({ batch }).key).toBe('inner');
  });

  it.each([
    [{ $token: 'a', token: 'b', api_key: 'c' }, 'a'],
    [{ token: 'b', api_key: 'c' }, 'b'],
    [{ api_key: 'c', properties: { token: 'd' } }, 'c'],
    [{ event: 'e', properties: { token: 'd' } }, 'd'],
    [{ event: 'e' }, undefined],
  ])('finds the key of %j', (body, key) => {
    expect(extractEvents(body).key).toBe(key);
  });

  it.each([
    [{ batch: 'text' }, "Invalid payload: All events must be dictionaries not 'str'!"],
    [{ batch: { a: 1 } }, "Invalid payload: All events must be dictionaries not 'str'!"],
    [{ batch: [1] }, "Invalid payload: All events must be dictionaries not 'int'!"],
    [{ batch: [1.5] }, "Invalid payload: All events must be dictionaries not 'float'!"],
    [[[]], "Invalid payload: All events must be dictionaries not 'list'!"],
    [[true], "Invalid payload: All events must be dictionaries not 'bool'!"],
    ['text', "Invalid payload: All events must be dictionaries not 'str'!"],
    [[{}, null], 'Invalid payload: some events are null'],
  ])('rejects %j', (body, detail) => {
    const refused = failure(() => extractEvents(body));
    expect([refused.kind, refused.code, refused.message]).toEqual(['invalid', 'invalid_payload', detail]);
  });

  it.each([[undefined], [null], [{}], [[]], [''], [0], [{ api_key: 'k', batch: [] }]])(
    'finds no data in %j',
    (body) => {
      expect(failure(() => extractEvents(body))).toMatchObject({ kind: 'invalid', code: 'no_data' });
    },
  );

  it('gives events or a Failure for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        try {
          expect(extractEvents(body).events.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});

describe('validateEvents', () => {
  it('rejects properties that are not an object, but accepts empty ones', () => {
    const refused = failure(() => validateEvents([{ properties: 'str' }]));
    expect(refused.message).toBe('Invalid payload: Properties must be a JSON object, received str!');
    expect(() => validateEvents([{ properties: null }, { properties: [] }, { properties: '' }])).not.toThrow();
  });
});
