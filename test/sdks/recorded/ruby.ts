import { DEFINITIONS, type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
  'content-type': 'application/json',
  'user-agent': 'posthog-ruby/3.4.0',
  connection: 'keep-alive',
};
const LIB = { $lib: 'posthog-ruby', $lib_version: '3.4.0', $is_server: true };

/** What is said about a person stands twice, and ids come last. */
export const ruby: RecordedSdk = {
  name: 'posthog-ruby 3.4',
  upload: {
    path: '/batch/',
    headers: HEADERS,
    body: {
      api_key: 'KEY',
      batch: [
        {
          timestamp: '2026-01-15T11:59:30.123Z',
          distinct_id: 'anon-1',
          properties: { words: WORDS, $groups: { company: 'a1' }, ...LIB },
          uuid: '5cbd1f0e-2d6f-4f4b-9d0e-7c3f3b1f0001',
          type: 'capture',
          event: 'visited',
        },
        {
          timestamp: '2026-01-15T11:59:31.123Z',
          distinct_id: 'ada',
          properties: { plan: 'team', ...LIB },
          uuid: '5cbd1f0e-2d6f-4f4b-9d0e-7c3f3b1f0002',
          type: 'identify',
          event: '$identify',
          $set: { plan: 'team' },
        },
        {
          timestamp: '2026-01-15T11:59:32.123Z',
          distinct_id: 'ada',
          properties: { distinct_id: 'ada', alias: 'anon-1', ...LIB },
          uuid: '5cbd1f0e-2d6f-4f4b-9d0e-7c3f3b1f0003',
          type: 'alias',
          event: '$create_alias',
        },
        {
          timestamp: '2026-01-15T11:59:33.123Z',
          distinct_id: '$company_a1',
          properties: { ...LIB, $group_type: 'company', $group_key: 'a1', $group_set: { name: 'Acme' } },
          uuid: '5cbd1f0e-2d6f-4f4b-9d0e-7c3f3b1f0004',
          event: '$groupidentify',
        },
      ],
    },
    needs: TAKEN,
  },
  isKnownAgain: true,
  questions: [
    {
      path: '/flags/?v=2',
      headers: HEADERS,
      body: {
        distinct_id: 'bob',
        groups: { company: 'x9' },
        person_properties: { distinct_id: 'bob', plan: 'team' },
        group_properties: { company: { $group_key: 'x9', name: 'Acme' } },
        token: 'KEY',
      },
      needs: { flags: { team: { enabled: true }, acme: { enabled: true } } },
    },
    {
      path: '/decide/?v=3',
      headers: { ...HEADERS, 'user-agent': 'Ruby' },
      body: { distinct_id: 'bob', groups: {}, person_properties: {}, group_properties: {}, token: 'KEY' },
      needs: { featureFlags: { on: true, team: false }, featureFlagPayloads: { colour: '["sky", 1]' } },
    },
    {
      method: 'GET',
      path: '/api/feature_flag/local_evaluation?token=KEY&send_cohorts=true',
      headers: { ...HEADERS, authorization: 'Bearer PERSONAL' },
      needs: DEFINITIONS,
    },
  ],
  events: {
    visited: '11:59:30.123',
    $identify: '11:59:31.123',
    $create_alias: '11:59:32.123',
    $groupidentify: '11:59:33.123',
  },
  person: { plan: 'team' },
  ids: ['ada', 'anon-1'],
  group: { name: 'Acme' },
};
