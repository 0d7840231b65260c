import { DEFINITIONS, type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const headersOf = (agent: string): Record<string, string> => ({
  'user-agent': agent,
  'content-type': 'application/json',
  'accept-encoding': 'gzip',
});
const LIB = { $lib: 'posthog-go', $lib_version: '1.2.10' };
const FRAME = { library: 'posthog-go', library_version: '1.2.10' };
const AGENT = 'posthog-go (version: 1.2.10)';

/** Times to the nanosecond, nulls for maps that are not there, and an alias whose id is in the properties alone. */
export const go: RecordedSdk = {
  name: 'posthog-go 1.2',
  upload: {
    path: '/batch/',
    headers: headersOf(AGENT),
    writes: 'go',
    body: {
      api_key: 'KEY',
      batch: [
        {
          type: 'capture',
          ...FRAME,
          timestamp: '2026-01-15T11:59:30.123456789Z',
          distinct_id: 'anon-1',
          event: 'visited',
          properties: { $groups: { company: 'a1' }, ...LIB, words: WORDS },
          send_feature_flags: false,
        },
        {
          type: 'identify',
          ...FRAME,
          timestamp: '2026-01-15T11:59:31.1Z',
          event: '$identify',
          distinct_id: 'ada',
          properties: LIB,
          $set: { plan: 'team' },
        },
        {
          type: 'alias',
          ...FRAME,
          timestamp: '2026-01-15T11:59:32Z',
          properties: { distinct_id: 'ada', alias: 'anon-1', ...LIB },
          event: '$create_alias',
        },
        {
          ...FRAME,
          timestamp: '2026-01-15T11:59:33Z',
          event: '$groupidentify',
          distinct_id: '$company_a1',
          properties: { $group_key: 'a1', $group_set: { name: 'Acme' }, $group_type: 'company', ...LIB },
        },
      ],
    },
    needs: TAKEN,
  },
  isKnownAgain: false,
  questions: [
    {
      path: '/decide/?v=4',
      headers: headersOf('posthog-go/1.2.10'),
      writes: 'go',
      body: { api_key: 'KEY', distinct_id: 'bob', groups: null, person_properties: null, group_properties: null },
      needs: {
        flags: { on: { key: 'on', enabled: true, metadata: { payload: '{"limit": 5}' } }, off: { enabled: false } },
      },
    },
    {
      path: '/flags/?v=2',
      headers: headersOf('posthog-go/1.6.0'),
      writes: 'go',
      body: {
        api_key: 'KEY',
        distinct_id: 'bob',
        groups: { company: 'x9' },
        person_properties: { plan: 'team' },
        group_properties: { company: { name: 'Acme' } },
      },
      needs: { flags: { team: { enabled: true }, acme: { enabled: true }, colour: { variant: 'blue' } } },
    },
    {
      method: 'GET',
      path: '/api/feature_flag/local_evaluation?send_cohorts=true&token=KEY',
      headers: { ...headersOf(AGENT), 'content-length': '0', authorization: 'Bearer PERSONAL' },
      needs: DEFINITIONS,
    },
  ],
  events: {
    visited: '11:59:30.123',
    $identify: '11:59:31.100',
    $create_alias: '11:59:32.000',
    $groupidentify: '11:59:33.000',
  },
  person: { plan: 'team' },
  ids: ['ada', 'anon-1'],
  group: { name: 'Acme' },
};
