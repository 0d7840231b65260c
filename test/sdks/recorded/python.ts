import { expect } from 'vitest';
import { DEFINITIONS, type RecordedSdk, TAKEN, WORDS } from './recorded.ts';

const headersOf = (agent: string): Record<string, string> => ({
  'user-agent': agent,
  'accept-encoding': 'gzip, deflate',
  accept: '*/*',
  connection: 'keep-alive',
  'content-type': 'application/json',
});

const FIRST = headersOf('analytics-python/1.4.0');
const FIRST_LIB = { $lib: 'posthog-python', $lib_version: '1.4.0' };

/** Everything at the top level, ids for messages, and a send time under a name that is not to be believed. */
export const python1: RecordedSdk = {
  name: 'posthog-python 1.4',
  upload: {
    path: '/batch/',
    headers: FIRST,
    writes: 'python',
    body: {
      batch: [
        {
          properties: { words: WORDS, ...FIRST_LIB },
          timestamp: '2026-01-15T11:59:30.123456+00:00',
          context: {},
          distinct_id: 'anon-1',
          event: 'visited',
          messageId: 'b7ae2c1c-6d1f-4b8a-9a49-0f6c53a9d001',
        },
        {
          properties: FIRST_LIB,
          timestamp: '2026-01-15T11:59:31.123456+00:00',
          context: {},
          distinct_id: 'ada',
          $set: { plan: 'team' },
          event: '$identify',
          messageId: 'b7ae2c1c-6d1f-4b8a-9a49-0f6c53a9d002',
        },
        {
          properties: FIRST_LIB,
          timestamp: '2026-01-15T11:59:32.123456+00:00',
          context: {},
          distinct_id: 'ada',
          $set_once: { first: 'post' },
          event: '$set_once',
          messageId: 'b7ae2c1c-6d1f-4b8a-9a49-0f6c53a9d003',
        },
        {
          properties: { distinct_id: 'anon-1', alias: 'ada', ...FIRST_LIB },
          timestamp: '2026-01-15T11:59:33.123456+00:00',
          context: {},
          distinct_id: 'anon-1',
          event: '$create_alias',
          messageId: 'b7ae2c1c-6d1f-4b8a-9a49-0f6c53a9d004',
        },
      ],
      // An hour behind: honouring it would move every event.
      sentAt: '2026-01-15T11:00:00.000000+00:00',
      api_key: 'KEY',
    },
    needs: TAKEN,
  },
  isKnownAgain: true,
  questions: [
    {
      method: 'GET',
      path: '/api/feature_flag/',
      headers: { ...headersOf('analytics-python/1.4.0'), authorization: 'Bearer PERSONAL' },
      needs: { results: expect.any(Array) },
    },
    {
      path: '/decide/',
      headers: FIRST,
      writes: 'python',
      body: { distinct_id: 'bob', groups: {}, api_key: 'KEY' },
      needs: { featureFlags: expect.arrayContaining(['on', 'colour']) },
    },
  ],
  events: {
    visited: '11:59:30.123',
    $identify: '11:59:31.123',
    $set_once: '11:59:32.123',
    $create_alias: '11:59:33.123',
  },
  person: { plan: 'team', first: 'post' },
  ids: ['ada', 'anon-1'],
};

const SECOND = headersOf('posthog-python/3.5.0');
const SECOND_LIB = { $lib: 'posthog-python', $lib_version: '3.5.0', $geoip_disable: true };

/** Its events have no ids. */
export const python3: RecordedSdk = {
  name: 'posthog-python 3.5',
  upload: {
    path: '/batch/',
    headers: SECOND,
    writes: 'python',
    body: {
      batch: [
        {
          properties: { words: WORDS, $groups: { company: 'a1' }, ...SECOND_LIB },
          timestamp: '2026-01-15T11:59:30.123456+00:00',
          distinct_id: 'ada',
          event: 'visited',
        },
        {
          properties: SECOND_LIB,
          timestamp: '2026-01-15T11:59:31.5+00:00',
          distinct_id: 'ada',
          $set: { plan: 'team' },
          event: '$set',
        },
        {
          event: '$groupidentify',
          properties: { $group_type: 'company', $group_key: 'a1', $group_set: { name: 'Acme' }, ...SECOND_LIB },
          distinct_id: '$company_a1',
          timestamp: '2026-01-15T11:59:32+00:00',
        },
      ],
      historical_migration: false,
      sentAt: '2026-01-15T11:00:00.000000+00:00',
      api_key: 'KEY',
    },
    needs: TAKEN,
  },
  isKnownAgain: false,
  questions: [
    {
      path: '/decide/?v=3',
      headers: SECOND,
      writes: 'python',
      body: {
        distinct_id: 'bob',
        groups: {},
        person_properties: { distinct_id: 'bob', plan: 'team' },
        group_properties: {},
        disable_geoip: true,
        api_key: 'KEY',
      },
      needs: {
        featureFlags: { on: true, off: false, colour: 'blue', team: true },
        featureFlagPayloads: { on: '{"limit": 5}' },
        errorsWhileComputingFlags: false,
      },
    },
    {
      method: 'GET',
      path: '/api/feature_flag/local_evaluation/?token=KEY&send_cohorts',
      headers: { 'user-agent': 'posthog-python/3.5.0', authorization: 'Bearer PERSONAL' },
      needs: DEFINITIONS,
    },
  ],
  events: { visited: '11:59:30.123', $set: '11:59:31.500', $groupidentify: '11:59:32.000' },
  person: { plan: 'team' },
  ids: ['ada'],
  group: { name: 'Acme' },
};

const THIRD = headersOf('posthog-python/7.42.0');
const THIRD_LIB = { $lib: 'posthog-python', $lib_version: '7.42.0', $geoip_disable: true, $is_server: true };

/** Packed, with ids, and with a clock that is to be believed. */
export const python7: RecordedSdk = {
  name: 'posthog-python 7.42',
  upload: {
    path: '/batch/',
    headers: { ...THIRD, 'content-encoding': 'gzip' },
    writes: 'python',
    isPacked: true,
    body: {
      batch: [
        {
          properties: { words: WORDS, ...THIRD_LIB },
          timestamp: '2026-01-15T10:59:30.123456+00:00',
          distinct_id: 'ada',
          event: 'visited',
          uuid: '019bc1d0-5b5e-7c46-9d13-0a53c3a10001',
        },
        {
          properties: { $set: { plan: 'team' }, ...THIRD_LIB },
          timestamp: '2026-01-15T10:59:31.123456+00:00',
          distinct_id: 'ada',
          event: '$set',
          uuid: '019bc1d0-5b5e-7c46-9d13-0a53c3a10002',
        },
        {
          properties: { $set_once: { first: 'post', plan: 'too late' }, ...THIRD_LIB },
          timestamp: '2026-01-15T10:59:32.123456+00:00',
          distinct_id: 'ada',
          event: '$set_once',
          uuid: '019bc1d0-5b5e-7c46-9d13-0a53c3a10003',
        },
      ],
      historical_migration: false,
      sent_at: '2026-01-15T11:00:00.000000+00:00',
      api_key: 'KEY',
    },
    needs: TAKEN,
  },
  isKnownAgain: true,
  questions: [
    {
      path: '/flags/?v=2',
      headers: THIRD,
      writes: 'python',
      body: {
        distinct_id: 'bob',
        groups: {},
        person_properties: { distinct_id: 'bob' },
        group_properties: {},
        geoip_disable: true,
        flag_keys_to_evaluate: ['colour'],
        api_key: 'KEY',
      },
      needs: {
        flags: { colour: { key: 'colour', enabled: true, variant: 'blue', metadata: { payload: '["sky", 1]' } } },
        requestId: expect.any(String),
      },
    },
    {
      method: 'GET',
      path: '/flags/definitions?token=KEY&send_cohorts',
      headers: { 'user-agent': 'posthog-python/7.42.0', authorization: 'Bearer PERSONAL' },
      needs: DEFINITIONS,
    },
  ],
  events: { visited: '11:59:30.123', $set: '11:59:31.123', $set_once: '11:59:32.123' },
  person: { plan: 'team', first: 'post' },
  ids: ['ada'],
};
