import { type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'okhttp/4.9.3',
  'accept-encoding': 'gzip',
  connection: 'Keep-Alive',
};

/** No slash at the end, no name of its own, and properties only where there are some. */
export const java: RecordedSdk = {
  name: 'posthog-java 1.1',
  upload: {
    path: '/batch',
    headers: HEADERS,
    body: {
      batch: [
        {
          distinct_id: 'anon-1',
          event: 'visited',
          properties: { words: WORDS },
          timestamp: '2026-01-15T11:59:30.123456Z',
        },
        { distinct_id: 'anon-1', event: 'looked', timestamp: '2026-01-15T11:59:31Z' },
        {
          distinct_id: 'ada',
          event: '$identify',
          properties: { $set: { plan: 'team' }, $set_once: { first: 'post' } },
          timestamp: '2026-01-15T11:59:32.1Z',
        },
        {
          distinct_id: 'ada',
          event: '$create_alias',
          properties: { distinct_id: 'ada', alias: 'anon-1' },
          timestamp: '2026-01-15T11:59:33.000001Z',
        },
      ],
      api_key: 'KEY',
    },
    needs: TAKEN,
  },
  isKnownAgain: false,
  questions: [
    {
      path: '/decide/?v=3',
      headers: HEADERS,
      body: { api_key: 'KEY', distinct_id: 'bob' },
      needs: { featureFlags: { on: true, colour: 'blue' }, featureFlagPayloads: { on: '{"limit": 5}' } },
    },
  ],
  events: {
    visited: '11:59:30.123',
    looked: '11:59:31.000',
    $identify: '11:59:32.100',
    $create_alias: '11:59:33.000',
  },
  person: { plan: 'team', first: 'post' },
  ids: ['ada', 'anon-1'],
};
