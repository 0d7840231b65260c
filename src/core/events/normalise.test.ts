import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCleanText } from '../json/clean-json.ts';
import type { JsonObject } from '../json/json.ts';
import { withImplicitUpdates } from '../persons/person-update.ts';
import { DROP_REASONS } from './drop-reasons.ts';
import type { Event } from './event.ts';
import { applyGroups, groupIdentify, groupTypesIn } from './groups.ts';
import { type NormaliseContext, type Normalised, normalise } from './normalise.ts';
import { eventUuid, personUuid } from './uuid.ts';

const NOW = Date.parse('2023-01-01T12:00:00Z');
const HOUR = 3_600_000;
const FALLBACK = '11111111-1111-4111-8111-111111111111';

const aContext = (given: Partial<NormaliseContext> = {}): NormaliseContext => ({
  projectId: 1,
  receivedAt: NOW,
  sentAt: null,
  ip: null,
  anonymizeIps: false,
  engage: false,
  fallbackUuid: FALLBACK,
  ...given,
});

const aRaw = (given: JsonObject = {}): JsonObject => ({ event: 'e', distinct_id: 'd', ...given });

const eventOf = (result: Normalised): Event => {
  if (result.kind !== 'event') throw new Error(`dropped: ${result.reason}`);
  return result.event;
};
const stored = (given: JsonObject, context = aContext()): Event => eventOf(normalise(aRaw(given), context));
const reason = (raw: unknown, context = aContext()): string => {
  const result = normalise(raw, context);
  return result.kind === 'dropped' ? result.reason : 'stored';
};
const warningTypes = (given: JsonObject, context = aContext()): string[] =>
  normalise(aRaw(given), context).warnings.map((warning) => warning.type);

describe('name', () => {
  it.each([
    [{ event: 'x'.repeat(250) }, 'x'.repeat(200)],
    [{ event: { 'event name': 'as object' } }, '{"event name":"as object"}'],
    [{ event: 5 }, '5'],
    [{ event: ' padded ' }, ' padded '],
    [{ event: 'a\u0000b\ud800' }, 'a\ufffdb\ufffd'],
    [{ event: `${'x'.repeat(199)}💻` }, `${'x'.repeat(199)}\ufffd`],
    [{ event: null, type: 'alias' }, '$create_alias'],
    [{ event: '', type: 'identify' }, '$identify'],
    [{ event: null, type: 'page' }, '$page'],
    [{ event: null, type: 'screen' }, '$screen'],
    [{ event: 'own', type: 'page' }, 'own'],
  ])('%j', (given, name) => {
    expect(stored(given).event).toBe(name);
  });

  it.each([[undefined], [null], [''], ['  '], [0], [false], [[]], [{}]])('drops the event called %j', (event) => {
    expect(reason({ distinct_id: 'd', event, type: 'track' })).toBe('missing_event_name');
  });

  it('means $identify on /engage/, where it is missing', () => {
    expect(eventOf(normalise({ $distinct_id: 3, $set: { a: 1 } }, aContext({ engage: true })))).toMatchObject({
      event: '$identify',
      distinctId: '3',
      properties: { $set: { a: 1 } },
    });
    expect(stored({}, aContext({ engage: true })).event).toBe('e');
  });
});

describe('distinct id', () => {
  it.each([
    [{ $distinct_id: 'a', properties: { distinct_id: 'b' }, distinct_id: 'c' }, 'a'],
    [{ properties: { distinct_id: 'b' }, distinct_id: 'c' }, 'b'],
    [{ distinct_id: null, properties: { distinct_id: 'b' } }, 'b'],
    [{ distinct_id: 2 }, '2'],
    [{ distinct_id: 23.4 }, '23.4'],
    [{ distinct_id: { a: 1 } }, '{"a":1}'],
    [{ distinct_id: 'x'.repeat(300) }, 'x'.repeat(200)],
    [{ distinct_id: 'a\u0000' }, 'a\ufffd'],
    [{ distinct_id: 'NaN' }, 'NaN'],
  ])('%j', (given, id) => {
    expect(stored(given).distinctId).toBe(id);
  });

  it.each([[undefined], [null], [''], [' '], [0], [false], [[]], [{}]])('drops the event of %j', (id) => {
    expect(reason({ event: 'e', distinct_id: id })).toBe('missing_distinct_id');
  });
});

describe('uuid', () => {
  const derived = (field: 'messageId' | '$insert_id', id: string): string => eventUuid(1, field, id, ['e', 'd', '']);

  it.each([
    [{ uuid: '018A981F-4B35-7C66-825E-8B0EEAE65714' }, '018a981f-4b35-7c66-825e-8b0eeae65714'],
    [{ uuid: '' }, FALLBACK],
    [{ uuid: '018A981F4B357C66825E8B0EEAE65714' }, '018a981f-4b35-7c66-825e-8b0eeae65714'],
    [{ uuid: '{018A981F-4B35-7C66-825E-8B0EEAE65714}' }, '018a981f-4b35-7c66-825e-8b0eeae65714'],
    [{ uuid: 'urn:uuid:018a981f-4b35-7c66-825e-8b0eeae65714' }, '018a981f-4b35-7c66-825e-8b0eeae65714'],
    [{ messageId: 'm', properties: { $insert_id: 'i' } }, derived('messageId', 'm')],
    [{ message_id: 'm', properties: { $insert_id: 'i' } }, derived('messageId', 'm')],
    [{ messageId: 1043520612345678901n }, derived('messageId', '1043520612345678901')],
    [{ properties: { $insert_id: 'i' } }, derived('$insert_id', 'i')],
    [{}, FALLBACK],
  ])('%j', (given, uuid) => {
    expect(stored(given).uuid).toBe(uuid);
  });

  it('differs between projects', () => {
    expect(stored({ messageId: 'm' }, aContext({ projectId: 2 })).uuid).not.toBe(stored({ messageId: 'm' }).uuid);
  });

  it.each([
    ['x', '"x"'],
    ['{018a981f-4b35-7c66-825e-8b0eeae65714', '"{018a981f-4b35-7c66-825e-8b0eeae65714"'],
    ['018a981f4b357c66825e8b0eeae6571', '"018a981f4b357c66825e8b0eeae6571"'],
    ['urn:018a981f-4b35-7c66-825e-8b0eeae65714', '"urn:018a981f-4b35-7c66-825e-8b0eeae65714"'],
    [5, '5'],
    [{}, '{}'],
  ])('drops the event of the invalid %j, with a warning', (uuid, shown) => {
    expect(normalise(aRaw({ uuid }), aContext())).toMatchObject({
      kind: 'dropped',
      reason: 'invalid_uuid',
      warnings: [{ type: 'skipping_event_invalid_uuid', details: { eventUuid: shown, event: 'e', distinctId: 'd' } }],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['sent again later', { timestamp: '2022-12-31T10:00:00Z' }, { timestamp: '2022-12-31T10:00:00.000Z' }],
    ['without a timestamp', {}, {}],
    ['with an id that is a number', { messageId: 7 }, { messageId: '7' }],
    ['with a timestamp that is none', { timestamp: 'soon' }, { timestamp: 'soon' }],
  ])('is the same for a message %s', (_name, first, again) => {
    const later = aContext({
      receivedAt: NOW + HOUR,
      sentAt: NOW,
      fallbackUuid: '22222222-2222-4222-8222-222222222222',
    });
    expect(stored({ messageId: 'm', ...again }, later).uuid).toBe(stored({ messageId: 'm', ...first }).uuid);
  });

  it.each<[string, JsonObject]>([
    ['message id', { messageId: 'other' }],
    ['event', { event: 'other' }],
    ['distinct id', { distinct_id: 'other' }],
    ['timestamp', { timestamp: '2022-12-31T10:00:01Z' }],
  ])('differs with the %s', (_name, given) => {
    const message = { messageId: 'string', timestamp: '2022-12-31T10:00:00Z' };
    expect(stored({ ...message, ...given }).uuid).not.toBe(stored(message).uuid);
  });

  it('of persons is the same as in PostHog', () => {
    expect(personUuid(1, 'd')).toBe('fb2be3e7-2ab4-531f-8e50-0be3d2ba34a2');
    expect(personUuid(2, 'ü💻')).toBe('109dd70c-37e9-5b25-92e9-91cd259c316a');
  });
});

describe('time', () => {
  const at = (given: JsonObject, context: Partial<NormaliseContext> = {}): string =>
    new Date(stored(given, aContext(context)).timestamp).toISOString();
  const sentAt = NOW + 10_000;

  it.each([
    ['corrected by the send time', { timestamp: '2023-01-01T11:00:00Z' }, { sentAt }, '2023-01-01T10:59:50.000Z'],
    ['as given without one', { timestamp: '2023-01-01T11:00:00Z' }, {}, '2023-01-01T11:00:00.000Z'],
    [
      'uncorrected on demand',
      { timestamp: '2023-01-01T11:00:00Z', properties: { $ignore_sent_at: true } },
      { sentAt },
      '2023-01-01T11:00:00.000Z',
    ],
    ['an offset back from now', { offset: 6000 }, { sentAt }, '2023-01-01T11:59:54.000Z'],
    [
      'the timestamp before the offset',
      { offset: 6000, timestamp: '2023-01-01T11:00:00Z' },
      {},
      '2023-01-01T11:00:00.000Z',
    ],
    ['now for an offset of zero', { offset: 0 }, { sentAt }, '2023-01-01T12:00:00.000Z'],
    ['now for nothing', { timestamp: '' }, { sentAt }, '2023-01-01T12:00:00.000Z'],
    ['now for nonsense', { timestamp: 'soon' }, {}, '2023-01-01T12:00:00.000Z'],
    ['now for an absurd offset', { offset: 1e300 }, {}, '2023-01-01T12:00:00.000Z'],
    ['exactly 23 h ahead', { timestamp: NOW + 23 * HOUR }, {}, '2023-01-02T11:00:00.000Z'],
    ['now for more than 23 h ahead', { timestamp: NOW + 23 * HOUR + 1 }, {}, '2023-01-01T12:00:00.000Z'],
  ])('%s', (_name, given, context, expected) => {
    expect(at(given as JsonObject, context)).toBe(expected);
  });

  it('adds a warning if it is replaced', () => {
    expect(warningTypes({ timestamp: 'soon' })).toEqual(['ignored_invalid_timestamp']);
    expect(warningTypes({ timestamp: '20000-01-01' })).toEqual(['ignored_invalid_timestamp']);
    expect(warningTypes({ offset: -24 * HOUR })).toEqual(['event_timestamp_in_future']);
    expect(warningTypes({ timestamp: '2023-01-01' })).toEqual([]);
  });

  it('keeps the send time as a property', () => {
    expect(stored({}, aContext({ sentAt })).properties['$sent_at']).toBe('2023-01-01T12:00:10.000Z');
  });
});

describe('properties', () => {
  it.each([
    ['the connection', {}, { ip: '1.1.1.1' }, { $ip: '1.1.1.1' }],
    ['the client', { $ip: '2.2.2.2' }, { ip: '1.1.1.1' }, { $ip: '2.2.2.2' }],
    ['a client that wants none', { $ip: null }, { ip: '1.1.1.1' }, { $ip: null }],
    ['nobody, if the project wants none', { $ip: '2.2.2.2', a: 1 }, { ip: '1.1.1.1', anonymizeIps: true }, { a: 1 }],
  ])('take the address from %s', (_name, properties, context, expected) => {
    expect(stored({ properties: properties as JsonObject }, aContext(context)).properties).toEqual(expected);
  });

  it('merge $set and $set_once, top level first, and keep $unset from properties only', () => {
    const given = {
      $set: { a: 1 },
      $set_once: { o: 1 },
      $unset: ['nope'],
      properties: { $set: { a: 2, b: 2 }, $set_once: { o: 2, p: 2 }, $unset: ['x'] },
    };
    expect(stored(given).properties).toEqual({ $set: { a: 1, b: 2 }, $set_once: { o: 1, p: 2 }, $unset: ['x'] });
    expect(stored({ $set: 'x', properties: { $set: [1], $unset: 5 } }).properties).toEqual({});
  });

  it('include the updates of the person', () => {
    const given = {
      properties: {
        $browser: 'Firefox',
        $os_name: 'iOS',
        utm_source: null,
        $set: { $browser: 'x' },
        $set_once: { $initial_browser: 'first' },
      },
    };
    expect(withImplicitUpdates(stored(given))).toMatchObject({
      $set: { $browser: 'Firefox', $os: 'iOS' },
      $set_once: { $initial_browser: 'first', $initial_os: 'iOS' },
    });
    const failure = stored({ event: '$exception', properties: { $browser: 'Firefox', $set: { a: 1 } } });
    expect(withImplicitUpdates(failure)).toEqual({ $browser: 'Firefox', $set: { a: 1 } });
  });

  it('take category and name of Segment-style messages, where they have none', () => {
    expect(stored({ category: 'c', name: 'n', properties: { name: 'own' } }).properties).toEqual({
      category: 'c',
      name: 'own',
    });
  });

  it.each([[null], [''], [[]], ['text'], [5]])('are none where %j is sent', (properties) => {
    expect(stored({ properties }).properties).toEqual({});
  });

  it('lose NUL, halves of pairs, infinities and __proto__ at every level', () => {
    const raw = JSON.parse(
      '{"event":"e","distinct_id":"d","properties":{"a\\u0000":"\\ud800","n":1e999,"l":[{"__proto__":{"x":1},"k":"\\u0000"}],"__proto__":{"y":1}}}',
    );
    const { properties } = eventOf(normalise(raw, aContext()));
    expect(JSON.stringify(properties)).toBe('{"a\ufffd":"\ufffd","n":null,"l":[{"k":"\ufffd"}]}');
    expect(properties['y']).toBeUndefined();
  });

  it('are cleaned in linear time, whatever their depth', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(190)}"\\u0000"${'}'.repeat(190)}`);
    expect(JSON.stringify(stored({ properties: { keep: 1, deep, after: 2 } }).properties)).toMatch(
      /^\{"keep":1,"deep":\{"a":.*"\ufffd"\}+,"after":2\}$/,
    );
  });

  it('are rejected below 200 levels', () => {
    const nested = (levels: number): JsonObject => ({
      properties: { a: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) },
    });
    expect(reason(aRaw(nested(200)))).toBe('stored');
    expect(reason(aRaw(nested(201)))).toBe('nested_too_deeply');
    expect(reason(aRaw(nested(100_000)))).toBe('nested_too_deeply');
    expect(reason(aRaw({ $set: nested(100_000) }))).toBe('nested_too_deeply');
    expect(reason({ event: nested(100_000), distinct_id: 'd' })).toBe('missing_event_name');
    expect(reason({ event: 'e', distinct_id: nested(100_000) })).toBe('missing_distinct_id');
  });
});

describe('person processing', () => {
  it('is off for false: updates of the person are removed', () => {
    const event = stored({
      $set: { a: 1 },
      properties: { $process_person_profile: false, $set_once: { b: 1 }, $unset: ['c'], $browser: 'x' },
    });
    expect(event).toMatchObject({ person: 'none', properties: { $process_person_profile: false, $browser: 'x' } });
    expect(Object.keys(event.properties)).toEqual(['$browser', '$process_person_profile']);
  });

  it('is on for true, and for invalid values with a warning', () => {
    expect(stored({ properties: { $process_person_profile: true } })).toMatchObject({ person: 'full', properties: {} });
    expect(warningTypes({ properties: { $process_person_profile: 'false' } })).toEqual([
      'invalid_process_person_profile',
    ]);
  });

  it.each(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])(
    'drops %s where it is off',
    (event) => {
      const result = normalise(aRaw({ event, properties: { $process_person_profile: false } }), aContext());
      expect(result).toMatchObject({ kind: 'dropped', reason: 'person_processing_disabled' });
      expect(result.warnings).toMatchObject([
        { type: 'invalid_event_when_process_person_profile_is_false', details: { event } },
      ]);
    },
  );

  it('can be off for a whole project', () => {
    expect(
      stored({ properties: { $process_person_profile: true } }, aContext({ personProcessing: false })).person,
    ).toBe('none');
  });
});

describe('special events', () => {
  it.each([
    ['$performance_event', 'performance_event'],
    ['$snapshot', 'session_recording'],
    ['$snapshot_items', 'session_recording'],
    ['$$client_ingestion_warning', 'client_ingestion_warning'],
  ])('drops %s as %s', (event, expected) => {
    expect(reason(aRaw({ event }))).toBe(expected);
  });

  it('records a client warning', () => {
    const properties = { $$client_ingestion_warning_message: 'too big' };
    const { warnings } = normalise(aRaw({ event: '$$client_ingestion_warning', properties }), aContext());
    expect(warnings).toEqual([
      { type: 'client_ingestion_warning', details: { eventUuid: FALLBACK, message: 'too big' } },
    ]);
  });

  it('writes elements as a chain', () => {
    const $elements = [
      { tag_name: 'a', nth_child: 1, nth_of_type: 2, attr__class: 'btn  alt', attr__href: '/x', $el_text: 'say "hi"' },
      { tag_name: 'div', attr__id: 'main', attr__class: ['b', 'a'], $el_text: 'x'.repeat(500) },
      'junk',
    ];
    const event = stored({ event: '$autocapture', properties: { $elements, a: 1 } });
    expect(event.properties).toEqual({ a: 1 });
    expect(event.elementsChain).toBe(
      'a.alt.btn:attr__class="btn  alt"attr__href="/x"href="/x"nth-child="1"nth-of-type="2"text="say \\"hi\\"";' +
        `div.a.b:attr__class="b a"attr__id="main"attr_id="main"text="${'x'.repeat(400)}"`,
    );
  });

  it('keeps a chain that the client sends', () => {
    const event = stored({ properties: { $elements_chain: 'a:text="x"' } });
    expect([event.elementsChain, event.properties]).toEqual(['a:text="x"', {}]);
  });
});

describe('groups', () => {
  it('get their key under the index of their type', () => {
    const event = stored({ properties: { $groups: { org: 5, team: 'a', none: null, sixth: 'x' } } });
    expect(groupTypesIn(event)).toEqual(['org', 'team', 'sixth']);
    expect(
      applyGroups(
        event,
        new Map([
          ['team', 0],
          ['org', 3],
          ['sixth', 5],
        ]),
      ),
    ).toEqual(['a', null, null, '5', null]);
    expect(event.properties).toMatchObject({ $group_0: 'a', $group_3: '5' });
    expect(event.properties['$group_5']).toBeUndefined();
  });

  it('are described by $groupidentify, which changes no person', () => {
    const properties = { $group_type: 'org', $group_key: 5, $group_set: { a: 1 }, $set: { b: 1 } };
    const event = stored({ event: '$groupidentify', properties });
    expect(groupIdentify(event)).toEqual({ type: 'org', key: '5', set: { a: 1 } });
    expect(event.properties['$set']).toBeUndefined();
    expect(groupIdentify(stored({ event: '$groupidentify', properties: { $group_type: 'org' } }))).toBeUndefined();
  });

  it('may have keys of up to 400 characters', () => {
    const withKey = (length: number) =>
      aRaw({ event: '$groupidentify', properties: { $group_type: 'o', $group_key: 'k'.repeat(length) } });
    expect(reason(withKey(400))).toBe('stored');
    expect(reason(withKey(401))).toBe('group_key_too_long');
    expect(normalise(withKey(401), aContext()).warnings).toMatchObject([{ type: 'group_key_too_long' }]);
  });
});

describe('any JSON at all', () => {
  const names = fc.constantFrom(
    'event',
    'distinct_id',
    'properties',
    'timestamp',
    'offset',
    'uuid',
    'type',
    '$set',
    '$set_once',
    'messageId',
    '$ip',
  );
  const inner = fc.constantFrom(
    '$set',
    '$unset',
    '$elements',
    '$groups',
    '$ip',
    '$process_person_profile',
    'distinct_id',
    '$browser',
    'toString',
    '__proto__',
  );
  const properties = fc.dictionary(fc.oneof(inner, fc.string()), fc.jsonValue());
  const raws = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(names, fc.oneof(fc.jsonValue(), properties)),
    fc.record({ event: fc.string(), distinct_id: fc.string(), properties }),
  );

  it('gives an event that can be stored or a known reason, the same every time', () => {
    fc.assert(
      fc.property(raws, (raw) => {
        const text = JSON.stringify(raw);
        const result = normalise(JSON.parse(text), aContext({ ip: '1.1.1.1', sentAt: NOW }));
        expect(normalise(JSON.parse(text), aContext({ ip: '1.1.1.1', sentAt: NOW }))).toEqual(result);
        if (result.kind === 'dropped') expect(DROP_REASONS).toContain(result.reason);
        else expect(JSON.stringify(result.event)).not.toMatch(/\\u0000|\\ud[89ab]/);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same where the text of the request is known to need no cleaning', () => {
    const hostile = fc.constantFrom(
      '1e999',
      '"\\u0000"',
      '"\\ud800"',
      '{"__proto__":1}',
      '[[-1e400]]',
      '"é😀"',
      '"\\n"',
    );
    const plain = fc.string().map((text) => JSON.stringify(text));
    const values = fc.oneof(hostile, plain, fc.json());
    const given = fc.dictionary(fc.oneof(inner, fc.string()), values);
    fc.assert(
      fc.property(given, (entries) => {
        const members = Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
        const text = `{"event":"e","distinct_id":"d","properties":{${members.join(',')}}}`;
        const isClean = hasCleanText(Buffer.from(text));
        expect(normalise(JSON.parse(text), aContext({ isClean }))).toEqual(normalise(JSON.parse(text), aContext()));
      }),
      { numRuns: 2000 },
    );
  });
});
