import { expect, it } from 'vitest';
import { describeVectors } from '../../../../test/support/vectors.ts';
import { Failure } from '../../../core/errors.ts';
import type { Event } from '../../../core/events/event.ts';
import { extractEvents } from '../../../core/events/extract-events.ts';
import { normalise } from '../../../core/events/normalise.ts';
import { validateEvents } from '../../../core/events/validate-events.ts';
import type { Json } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { parseTimestamp } from '../../../core/time/parse-timestamp.ts';
import { sentAtOf } from '../../../features/capture/public/sent-at.ts';
import { decodeRequest } from './decode-request.ts';

/** Recorded requests: bytes in, events or an error out. Keys are not checked here. */
interface Case {
  id: string;
  group: string;
  target: string;
  method: string;
  path: string;
  query: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  body_encoding: string;
  setup?: { now?: string };
  expect_status: number;
  expect_body?: Record<string, Json> | null;
  expect_events?: Record<string, Json>[] | null;
}

const GROUPS = ['matrix', 'sdk-dump', 'django', 'capture-rs', 'segment'];

/** An invalid uuid refuses its event alone. */
const NOT_FOLLOWED = ['django-053'];

const isReadable = (one: Case): boolean =>
  !NOT_FOLLOWED.includes(one.id) &&
  GROUPS.includes(one.group) &&
  ['must', 'should'].includes(one.target) &&
  ['text', 'base64', 'none'].includes(one.body_encoding) &&
  // Recordings are accepted and dropped, whatever they hold.
  !one.path.startsWith('/s/') &&
  [200, 204, 400].includes(one.expect_status);

async function read(one: Case): Promise<Event[]> {
  const query = new URLSearchParams(one.query);
  const headers = new Map(Object.entries(one.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const { payload, formFields } = await decodeRequest({
    method: one.method,
    contentType: headers.get('content-type'),
    contentEncoding: headers.get('content-encoding'),
    query,
    rawBody: Buffer.from(one.body ?? '', one.body_encoding === 'base64' ? 'base64' : 'utf8'),
    maxBytes: 20 * 1024 * 1024,
    maxRatio: 100,
  });
  const { events, sentAt: body } = extractEvents(parseJson(payload.toString('utf8')));
  validateEvents(events);
  const sentAt = sentAtOf({ query, body, form: formFields.get('sent_at') });
  const receivedAt = parseTimestamp(one.setup?.now) ?? Date.UTC(2024, 0, 1);
  const engage = one.path.startsWith('/engage');
  const fallbackUuid = '00000000-0000-4000-8000-000000000000';
  const context = { projectId: 1, receivedAt, sentAt, ip: null, anonymizeIps: false, engage, fallbackUuid };
  const results = events.map((raw) => normalise(raw, context));
  return results.flatMap((result) => (result.kind === 'event' ? [result.event] : []));
}

describeVectors<{ cases: Case[] }>('recorded requests', 'ingest-cases.json', ({ cases: all }) => {
  const cases = all.filter(isReadable);
  it.each(cases.filter((one) => one.expect_status !== 400).map((one) => [one.id, one] as const))(
    '%s',
    async (_id, one) => {
      const events = await read(one);
      for (const [index, want] of (one.expect_events ?? []).entries()) {
        if (want['event'] !== undefined) expect(events[index]?.event).toBe(want['event']);
        if (want['distinct_id'] !== undefined) expect(events[index]?.distinctId).toBe(want['distinct_id']);
        if (want['uuid'] !== undefined) expect(events[index]?.uuid).toBe(want['uuid']);
        if (typeof want['timestamp'] === 'string') expect(events[index]?.timestamp).toBe(Date.parse(want['timestamp']));
      }
      if (one.expect_events) expect(events).toHaveLength(one.expect_events.length);
    },
  );

  it.each(cases.filter((one) => one.expect_status === 400).map((one) => [one.id, one] as const))(
    '%s is refused',
    async (_id, one) => {
      const error = await read(one).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Failure);
      const { code, detail, detail_prefix: prefix } = one.expect_body ?? {};
      const shown = error instanceof Failure ? error : undefined;
      if (code !== undefined) expect(shown?.code).toBe(code);
      const text = typeof prefix === 'string' ? prefix : String(detail);
      // What a parser says after the second colon is its own.
      const portable =
        /^(Malformed request data: (?:Invalid JSON: |Failed to decompress data\.)?)/.exec(text)?.[1] ?? text;
      expect(shown?.message.startsWith(portable)).toBe(true);
    },
  );
});
