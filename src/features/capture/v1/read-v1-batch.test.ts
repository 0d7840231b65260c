import { describe, expect, it } from 'vitest';
import { Failure } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { readV1Batch, toV1Error } from './read-v1-batch.ts';
import { V1Error } from './v1-error.ts';
import { readV1Headers } from './v1-headers.ts';

const HEADERS = {
  authorization: 'Bearer phc_k',
  'content-type': 'application/json',
  'posthog-sdk-info': 'posthog-rs/1.0.0',
  'posthog-attempt': '1',
  'posthog-request-id': '00000000-0000-0000-0000-000000000001',
  'posthog-request-timestamp': '2026-03-19T14:30:00.000Z',
};
const headers = readV1Headers(HEADERS);
const UUID = '0198f0a0-0000-7000-8000-000000000000';

const anEntry = (given: JsonObject = {}): JsonObject => ({
  event: '$pageview',
  uuid: UUID,
  distinct_id: 'me@example.com',
  timestamp: '2026-03-19T14:29:58.123Z',
  options: {},
  properties: {},
  ...given,
});

const thrown = (run: () => unknown): V1Error => {
  try {
    run();
  } catch (error) {
    if (error instanceof V1Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('readV1Headers', () => {
  it('reads who sends, with what and when', () => {
    expect(headers).toEqual({
      token: 'phc_k',
      sdk: { name: 'posthog-rs', version: '1.0.0' },
      attempt: 1,
      requestId: '00000000-0000-0000-0000-000000000001',
      sentAt: Date.UTC(2026, 2, 19, 14, 30),
    });
  });

  it.each([
    ['authorization', undefined, 'missing_authorization', 401],
    ['authorization', 'Basic x', 'missing_authorization', 401],
    ['content-type', 'text/plain', 'unsupported_content_type', 415],
    ['posthog-attempt', undefined, 'missing_required_headers', 400],
    ['posthog-attempt', '0', 'invalid_header_value', 400],
    ['posthog-request-id', 'x', 'invalid_header_value', 400],
    ['posthog-request-timestamp', 'now', 'invalid_header_value', 400],
    ['posthog-sdk-info', 'posthog', 'invalid_header_value', 400],
  ])('refuses %s: %s as %s', (name, value, tag, status) => {
    const error = thrown(() => readV1Headers({ ...HEADERS, [name]: value }));
    expect([error.tag, error.status, error.body.error]).toEqual([tag, status, tag]);
    expect(error.body.error_description).not.toBe('');
  });
});

describe('readV1Batch', () => {
  it('translates an event into the older protocol', async () => {
    const entry = anEntry({
      uuid: ` ${UUID.toUpperCase()} `,
      distinct_id: ' me ',
      session_id: 's',
      window_id: 'w',
      options: { process_person_profile: false, disable_skew_correction: true, newer: 1 },
      properties: { a: 1, $lib: 'own' },
    });
    const { events, results } = await readV1Batch({ created_at: 'x', batch: [entry] }, headers);
    expect(results).toEqual({ [UUID]: { result: 'ok' } });
    expect(events).toEqual([
      {
        event: '$pageview',
        uuid: UUID,
        $distinct_id: 'me',
        distinct_id: 'me',
        timestamp: '2026-03-19T14:29:58.123Z',
        properties: {
          $lib: 'own',
          $lib_version: '1.0.0',
          a: 1,
          $session_id: 's',
          $window_id: 'w',
          $process_person_profile: false,
          $ignore_sent_at: true,
        },
      },
    ]);
  });

  it.each([
    [{ event: '' }, 'invalid_event'],
    [{ event: 'x'.repeat(201) }, 'invalid_event'],
    [{ event: 5 }, 'invalid_event'],
    [{ distinct_id: 'x'.repeat(201) }, 'invalid_event'],
    [{ distinct_id: 'SYSTEM' }, 'invalid_event'],
    [{ distinct_id: 'Null' }, 'invalid_event'],
    [{ distinct_id: null }, 'invalid_event'],
    [{ timestamp: 'soon' }, 'invalid_event'],
    [{ properties: [] }, 'invalid_event'],
    [{ options: { cookieless_mode: 'maybe' } }, 'invalid_options'],
    [{ options: [] }, 'invalid_options'],
    [{ event: '$identify', options: { process_person_profile: false } }, 'person_processing_disabled'],
  ])('drops %j alone', async (fault, details) => {
    const good = anEntry({ uuid: '0198f0a0-0000-7000-8000-000000000001' });
    const { events, results } = await readV1Batch({ batch: [anEntry(fault as JsonObject), good] }, headers);
    expect(results[UUID]).toEqual({ result: 'drop', details });
    expect(events).toHaveLength(1);
  });

  it('drops an event whose uuid is none alone, and takes one without hyphens', async () => {
    const hex = anEntry({ uuid: UUID.replaceAll('-', '') });
    const { events, results } = await readV1Batch({ batch: [anEntry({ uuid: '__proto__' }), hex] }, headers);
    expect(Object.entries(results)).toEqual([
      ['__proto__', { result: 'drop', details: 'invalid_event' }],
      [UUID, { result: 'ok' }],
    ]);
    expect(events).toMatchObject([{ event: '$pageview', uuid: '__proto__' }, { uuid: UUID }]);
  });

  it.each([
    [5, 'request_parsing_error'],
    [{}, 'invalid_batch'],
    [{ batch: [] }, 'empty_batch'],
    [{ batch: [1] }, 'invalid_batch'],
    [{ batch: [anEntry({ uuid: ' ' })] }, 'invalid_batch'],
    [{ batch: [anEntry({ uuid: 7 })] }, 'invalid_batch'],
    [{ batch: [anEntry(), anEntry()] }, 'invalid_batch'],
  ])('refuses the body %j', async (body, tag) => {
    await expect(readV1Batch(body, headers)).rejects.toMatchObject({ tag });
  });
});

it.each([
  [new Failure('too_large', 'x'), 'payload_too_large', 413],
  [new Failure('unsupported_media_type', 'x'), 'unsupported_encoding', 415],
  [new Failure('invalid', 'x', { code: 'no_data' }), 'empty_body', 400],
  [new Failure('invalid', 'x', { code: 'invalid_payload' }), 'request_parsing_error', 400],
  [new Failure('unauthenticated', 'x'), 'invalid_api_token', 401],
  [new Failure('unavailable', 'x'), 'service_unavailable', 503],
])('says %s in the words of V1', (failure, tag, status) => {
  const error = toV1Error(failure);
  expect([error.tag, error.status]).toEqual([tag, status]);
});
