import { expect } from 'vitest';
import { type RecordedRequest, type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const OLD_ANDROID = {
  'content-type': 'application/json',
  'user-agent': 'posthog-android/2.0.3',
  'accept-encoding': 'gzip',
  connection: 'Keep-Alive',
};
const OLD_LIB = { $lib: 'posthog-android', $lib_version: '2.0.3', $os: 'Android', $device_type: 'Mobile' };

/** Written after Segment's: each message has a type and an id, which is written with an underscore. */
export const android2: RecordedSdk = {
  name: 'posthog-android 2.0',
  upload: {
    path: '/batch',
    headers: { ...OLD_ANDROID, 'content-encoding': 'gzip' },
    isPacked: true,
    body: {
      api_key: 'KEY',
      batch: [
        {
          type: 'capture',
          event: 'visited',
          message_id: '0f5b3a5e-91c7-4f6a-8c2b-1d2e3f4a0001',
          timestamp: '2026-01-15T11:59:30.123Z',
          properties: { ...OLD_LIB, words: WORDS },
          distinct_id: 'anon-1',
        },
        {
          type: 'screen',
          event: '$screen',
          message_id: '0f5b3a5e-91c7-4f6a-8c2b-1d2e3f4a0002',
          timestamp: '2026-01-15T11:59:31.123Z',
          properties: { ...OLD_LIB, $screen_name: 'Start' },
          distinct_id: 'anon-1',
        },
        {
          type: 'identify',
          event: '$identify',
          message_id: '0f5b3a5e-91c7-4f6a-8c2b-1d2e3f4a0003',
          timestamp: '2026-01-15T11:59:32.123Z',
          properties: { ...OLD_LIB, $anon_distinct_id: 'anon-1' },
          distinct_id: 'ada',
          $set: { plan: 'team' },
        },
      ],
      sent_at: '2026-01-15T12:00:00.000Z',
    },
    needs: TAKEN,
  },
  isKnownAgain: true,
  questions: [
    {
      path: '/decide/?v=2',
      headers: OLD_ANDROID,
      body: { api_key: 'KEY', distinct_id: 'bob', $anon_distinct_id: 'anon-2', $groups: {} },
      needs: { featureFlags: { on: true, colour: 'blue' } },
    },
  ],
  events: { visited: '11:59:30.123', $screen: '11:59:31.123', $identify: '11:59:32.123' },
  person: { plan: 'team' },
  ids: ['ada', 'anon-1'],
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** The shapes of both systems today; Flutter speaks through them, under its own name. */
const events = (lib: string, version: string) => [
  {
    event: 'Application Opened',
    distinct_id: 'anon-1',
    properties: { $lib: lib, $lib_version: version, from_background: false, $process_person_profile: false },
    timestamp: '2026-01-15T11:59:29.123Z',
    uuid: '019bc1d0-7000-7c46-9d13-0a53c3a20001',
  },
  {
    event: 'visited',
    distinct_id: 'anon-1',
    properties: { $lib: lib, $lib_version: version, words: WORDS, $groups: { company: 'a1' } },
    timestamp: '2026-01-15T11:59:30.123Z',
    uuid: '019bc1d0-7000-7c46-9d13-0a53c3a20002',
  },
  {
    event: '$identify',
    distinct_id: 'ada',
    properties: { $lib: lib, $lib_version: version, $anon_distinct_id: 'anon-1', $set: { plan: 'team' } },
    timestamp: '2026-01-15T11:59:31.123Z',
    uuid: '019bc1d0-7000-7c46-9d13-0a53c3a20003',
  },
  {
    event: '$groupidentify',
    distinct_id: 'ada',
    properties: { $group_type: 'company', $group_key: 'a1', $group_set: { name: 'Acme' }, $lib: lib },
    timestamp: '2026-01-15T11:59:32.123Z',
    uuid: '019bc1d0-7000-7c46-9d13-0a53c3a20004',
  },
];
const EXPECTED_EVENTS = {
  'Application Opened': '11:59:29.123',
  visited: '11:59:30.123',
  $identify: '11:59:31.123',
  $groupidentify: '11:59:32.123',
};

/** Recordings have the key in each of them. They are counted and not kept. */
const snapshot = (path: string, headers: Record<string, string>): RecordedRequest => ({
  path,
  headers: { ...headers, 'content-encoding': 'gzip' },
  isPacked: true,
  body: [
    {
      event: '$snapshot',
      distinct_id: 'ada',
      properties: { $snapshot_source: 'mobile', $session_id: 's1', $window_id: 's1', $snapshot_data: [{ type: 4 }] },
      timestamp: '2026-01-15T11:59:33.123Z',
      uuid: '019bc1d0-7000-7c46-9d13-0a53c3a20005',
      api_key: 'KEY',
    },
  ],
  needs: TAKEN,
});

/** Everything that has a body is packed, questions too. */
function onAndroid(name: string, lib: string, version: string): RecordedSdk {
  const headers = { 'content-type': JSON_TYPE, 'user-agent': `${lib}/${version}`, 'accept-encoding': 'gzip' };
  const packed = { headers: { ...headers, 'content-encoding': 'gzip' }, isPacked: true };
  return {
    name,
    upload: {
      path: '/batch',
      ...packed,
      body: { api_key: 'KEY', batch: events(lib, version), sent_at: '2026-01-15T12:00:00.000Z' },
      needs: TAKEN,
    },
    isKnownAgain: true,
    questions: [
      {
        method: 'GET',
        path: '/array/KEY/config',
        headers,
        needs: { token: expect.any(String), hasFeatureFlags: true, sessionRecording: false },
      },
      {
        path: '/flags/?v=2',
        ...packed,
        body: {
          api_key: 'KEY',
          distinct_id: 'bob',
          $anon_distinct_id: 'anon-2',
          person_properties: { $app_version: '1.2', plan: 'team' },
          group_properties: { company: { name: 'Acme' } },
          groups: { company: 'x9' },
        },
        needs: { flags: { team: { enabled: true }, acme: { enabled: true } }, errorsWhileComputingFlags: false },
      },
      snapshot('/s/', headers),
      { path: '/i/v1/logs?token=KEY', ...packed, body: { resourceLogs: [] }, needs: {} },
    ],
    events: EXPECTED_EVENTS,
    person: { plan: 'team' },
    ids: ['ada', 'anon-1'],
    group: { name: 'Acme' },
  };
}

export const android3 = onAndroid('posthog-android 3.11', 'posthog-android', '3.11.0');
export const flutter = onAndroid('posthog-flutter 4.10 (Android)', 'posthog-flutter', '4.10.0');

const IOS = {
  'content-type': JSON_TYPE,
  'user-agent': 'posthog-ios/3.20.0',
  accept: '*/*',
  'accept-language': 'en-GB,en;q=0.9',
  'accept-encoding': 'gzip',
};

/** Slashes are escaped, uploads are packed, questions are not, and groups have a dollar sign. */
export const ios: RecordedSdk = {
  name: 'posthog-ios 3.20',
  upload: {
    path: '/batch',
    headers: { ...IOS, 'content-encoding': 'gzip' },
    writes: 'swift',
    isPacked: true,
    body: { sent_at: '2026-01-15T12:00:00.000Z', batch: events('posthog-ios', '3.20.0'), api_key: 'KEY' },
    needs: TAKEN,
  },
  isKnownAgain: true,
  questions: [
    {
      path: '/decide?v=3',
      headers: { ...IOS, 'accept-encoding': 'gzip, deflate' },
      writes: 'swift',
      body: { $groups: { company: 'a1' }, api_key: 'KEY', distinct_id: 'ada', $anon_distinct_id: 'anon-1' },
      needs: { featureFlags: { on: true, team: true, acme: true }, featureFlagPayloads: { on: '{"limit": 5}' } },
    },
    {
      path: '/flags?v=2&config=true',
      headers: { ...IOS, 'accept-encoding': 'gzip, deflate' },
      writes: 'swift',
      body: { $groups: {}, api_key: 'KEY', distinct_id: 'bob', $anon_distinct_id: 'anon-2', timezone: 'Europe/Oslo' },
      needs: { flags: { colour: { variant: 'blue' } }, supportedCompression: expect.arrayContaining(['gzip']) },
    },
    snapshot('/s/', IOS),
  ],
  events: EXPECTED_EVENTS,
  person: { plan: 'team' },
  ids: ['ada', 'anon-1'],
  group: { name: 'Acme' },
};
