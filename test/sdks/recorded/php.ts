import { DEFINITIONS, type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'posthog-php/3.7.0', accept: '*/*' };
const LIB = { $lib: 'posthog-php', $lib_version: '3.7.0', $lib_consumer: 'LibCurl' };
const FRAME = { library: 'posthog-php', library_version: '3.7.0', library_consumer: 'LibCurl' };

/** Empty maps are empty lists, slashes are escaped, and an alias has null where its id should be. */
export const php: RecordedSdk = {
  name: 'posthog-php 3.7',
  upload: {
    path: '/batch/',
    headers: { ...HEADERS, 'content-encoding': 'gzip' },
    writes: 'php',
    isPacked: true,
    body: {
      batch: [
        {
          event: 'visited',
          properties: { $active_feature_flags: [], words: WORDS, $groups: { company: 'a1' }, ...LIB },
          $groups: { company: 'a1' },
          ...FRAME,
          distinct_id: 'anon-1',
          groups: [],
          timestamp: '2026-01-15T12:59:30+01:00',
          type: 'capture',
        },
        {
          properties: { plan: 'team', ...LIB },
          $set: { plan: 'team' },
          ...FRAME,
          distinct_id: 'ada',
          groups: [],
          timestamp: '2026-01-15T12:59:31+01:00',
          type: 'identify',
          event: '$identify',
        },
        {
          properties: { ...LIB, distinct_id: 'ada', alias: 'anon-1' },
          ...FRAME,
          distinct_id: null,
          groups: [],
          timestamp: '2026-01-15T12:59:32+01:00',
          type: 'alias',
          event: '$create_alias',
        },
        {
          properties: { $group_type: 'company', $group_key: 'a1', $group_set: [], ...LIB },
          event: '$groupidentify',
          distinct_id: '$company_a1',
          ...FRAME,
          groups: [],
          timestamp: '2026-01-15T12:59:33+01:00',
          type: 'capture',
        },
      ],
      api_key: 'KEY',
    },
    needs: TAKEN,
  },
  isKnownAgain: false,
  questions: [
    {
      path: '/flags/?v=2',
      headers: HEADERS,
      writes: 'php',
      body: { api_key: 'KEY', distinct_id: 'bob', person_properties: { distinct_id: 'bob', plan: 'team' } },
      needs: { flags: { team: { enabled: true }, on: { variant: null, metadata: { payload: '{"limit": 5}' } } } },
    },
    {
      path: '/decide/?v=3',
      headers: HEADERS,
      writes: 'php',
      body: { api_key: 'KEY', distinct_id: 'bob', groups: [], person_properties: [], group_properties: [] },
      needs: { featureFlags: { on: true, off: false } },
    },
    {
      method: 'GET',
      path: '/api/feature_flag/local_evaluation?send_cohorts&token=KEY',
      headers: { ...HEADERS, authorization: 'Bearer PERSONAL' },
      needs: DEFINITIONS,
    },
  ],
  events: {
    visited: '11:59:30.000',
    $identify: '11:59:31.000',
    $create_alias: '11:59:32.000',
    $groupidentify: '11:59:33.000',
  },
  person: { plan: 'team' },
  ids: ['ada', 'anon-1'],
  group: {},
};
