import { describe, expect, it } from 'vitest';
import { normalise } from '../../../core/events/normalise.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { eventFromSegment } from './segment-message.ts';

const context = { library: { name: 'a-library', version: '1.2' } };
const lib = { $lib: 'a-library', $lib_version: '1.2' };

describe('a message of', () => {
  const cases: [what: string, message: JsonObject, event: string | null, properties: JsonObject][] = [
    ['track', { type: 'track', event: 'bought', properties: { n: 1 } }, 'bought', { n: 1 }],
    ['track without properties', { type: 'track', event: 'bought', properties: null }, 'bought', {}],
    ['track without a name', { type: 'track' }, null, {}],
    ['identify', { type: 'identify', traits: { plan: 'pro' } }, '$identify', { $set: { plan: 'pro' } }],
    [
      'identify after an anonymous time',
      { type: 'identify', anonymousId: 'anon', traits: {} },
      '$identify',
      { $set: {}, $anon_distinct_id: 'anon' },
    ],
    [
      'page',
      { type: 'page', name: 'Home', category: 'Docs', properties: { url: 'https://a.example/x', path: '/x', n: 1 } },
      '$pageview',
      {
        $current_url: 'https://a.example/x',
        $pathname: '/x',
        name: 'Home',
        category: 'Docs',
        url: 'https://a.example/x',
        path: '/x',
        n: 1,
      },
    ],
    ['screen', { type: 'screen', name: 'Start', properties: { n: 1 } }, '$screen', { $screen_name: 'Start', n: 1 }],
    [
      'group',
      { type: 'group', groupId: 'g1', traits: { name: 'Acme' } },
      '$groupidentify',
      { $group_type: 'group', $group_key: 'g1', $group_set: { name: 'Acme' }, $groups: { group: 'g1' } },
    ],
    [
      'group of a named kind',
      { type: 'group', groupId: 'g1', traits: { groupType: 'company', seats: 3 } },
      '$groupidentify',
      { $group_type: 'company', $group_key: 'g1', $group_set: { seats: 3 }, $groups: { company: 'g1' } },
    ],
    ['alias', { type: 'alias', previousId: 'old' }, '$create_alias', { alias: 'old' }],
    ['an unknown kind', { type: 'delete' }, null, {}],
    ['a kind that every object inherits', { type: 'constructor' }, null, {}],
  ];
  it.each(cases)('%s becomes an event of ours', (_what, message, event, properties) => {
    const translated = eventFromSegment({
      userId: 'ada',
      messageId: 'm1',
      timestamp: '2026-01-15T12:00:00Z',
      ...message,
    });
    expect(translated).toEqual({
      event,
      distinct_id: 'ada',
      messageId: 'm1',
      timestamp: '2026-01-15T12:00:00Z',
      properties,
    });
  });
});

it('takes the type from the path where the message has none', () => {
  expect(eventFromSegment({ userId: 'ada', event: 'bought' }, 'track')).toMatchObject({ event: 'bought' });
});

it('has the user id, or the anonymous id where there is none', () => {
  const idOf = (message: JsonObject) => eventFromSegment({ type: 'track', event: 'e', ...message })['distinct_id'];
  expect([
    idOf({ userId: 'ada', anonymousId: 'anon' }),
    idOf({ userId: '', anonymousId: 'anon' }),
    idOf({ userId: null, anonymousId: 'anon' }),
    idOf({ userId: 7 }),
    idOf({}),
  ]).toEqual(['ada', 'anon', 'anon', 7, null]);
});

it('says the circumstances in our words, and the message itself goes before them', () => {
  const sent = {
    ...context,
    ip: '192.0.2.7',
    userAgent: 'Browser/1',
    page: { url: 'https://a.example/x', path: '/x', referrer: 'https://b.example/', title: 'X' },
    campaign: { name: 'spring', source: 'letter' },
    os: { name: 'iOS', version: '20' },
    groupId: 'g1',
    traits: { unused: true },
  };
  const { properties } = eventFromSegment({
    type: 'track',
    event: 'e',
    context: sent,
    properties: { $ip: '192.0.2.8' },
  });
  expect(properties).toEqual({
    ...lib,
    $ip: '192.0.2.8',
    $raw_user_agent: 'Browser/1',
    $current_url: 'https://a.example/x',
    $pathname: '/x',
    $referrer: 'https://b.example/',
    title: 'X',
    utm_campaign: 'spring',
    utm_source: 'letter',
    $os: 'iOS',
    $os_version: '20',
    $groups: { group: 'g1' },
  });
});

it('is the same event when the same message comes again', () => {
  const facts = { projectId: 1, ip: null, anonymizeIps: false, engage: false, receivedAt: 0, sentAt: null };
  const uuidOf = (messageId: string, fallbackUuid: string) => {
    const raw = eventFromSegment({ type: 'track', event: 'e', userId: 'ada', messageId });
    const result = normalise(raw, { ...facts, fallbackUuid });
    return result.kind === 'event' ? result.event.uuid : result.reason;
  };
  expect(uuidOf('m1', crypto.randomUUID())).toBe(uuidOf('m1', crypto.randomUUID()));
  expect(uuidOf('m1', crypto.randomUUID())).not.toBe(uuidOf('m2', crypto.randomUUID()));
});
