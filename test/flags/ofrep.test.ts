/** Flags through OpenFeature: the generic provider from npm, and the protocol itself. */
import { OFREPApi } from '@openfeature/ofrep-core';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { type Client, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everybody, those } from '../contract/flag-builders.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { send, sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: Client;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  await sendJson(server.url, '/batch/', {
    api_key: server.projectKey,
    batch: [
      { event: '$identify', distinct_id: 'stored', properties: { $set: { plan: 'pro' } } },
      {
        event: '$groupidentify',
        distinct_id: 'stored',
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 5 } },
      },
    ],
  });
  await server.drain();
  await makeFlags();
  api = await OpenApi.of(server);
  const headers: [string, string][] = [['Authorization', `Bearer ${server.projectKey}`]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: server.url, headers }));
  client = OpenFeature.getClient();
});
afterAll(async () => {
  await OpenFeature.close();
  await server.close();
});

const LAYOUTS = {
  variants: [
    { key: 'wide', rollout_percentage: 100 },
    { key: 'narrow', rollout_percentage: 0 },
  ],
};

async function makeFlags(): Promise<void> {
  const pro = those('plan', 'pro');
  await server.addFlag({ key: 'everybody', filters: { ...everybody(100), payloads: { true: '{"colour":"red"}' } } });
  await server.addFlag({ key: 'pro', filters: pro });
  await server.addFlag({ key: 'nobody', filters: everybody(0) });
  await server.addFlag({ key: 'off', active: false });
  await server.addFlag({
    key: 'layout',
    filters: { ...pro, multivariate: LAYOUTS, payloads: { wide: '{"columns":3}' } },
  });
  const config = { isRemoteConfiguration: true };
  await server.addFlag({ key: 'theme', ...config, filters: { ...pro, payloads: { true: '{"dark":true}' } } });
  await server.addFlag({ key: 'limit', ...config, filters: { ...everybody(100), payloads: { true: '42' } } });
  await server.addFlag({ key: 'broken', filters: { groups: 'all' } });
  await server.addFlag({ key: 'for-servers', evaluationRuntime: 'server', filters: everybody(100) });
  await server.addFlag({
    key: 'big-companies',
    filters: {
      aggregation_group_type_index: 0,
      groups: [
        {
          properties: [{ key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: '3' }],
          rollout_percentage: 100,
        },
      ],
    },
  });
}

const PRO = { targetingKey: 'ada', plan: 'pro' };
const FREE = { targetingKey: 'ada', plan: 'free' };

describe("OpenFeature's provider", () => {
  it('resolves booleans, with reason and metadata', async () => {
    const details = await client.getBooleanDetails('everybody', false, FREE);
    expect(details).toMatchObject({
      flagKey: 'everybody',
      value: true,
      reason: 'STATIC',
      flagMetadata: {
        version: 1,
        flagSetId: '1',
        reasonCode: 'condition_match',
        conditionIndex: 0,
        payload: '{"colour":"red"}',
      },
    });
    expect(await client.getBooleanDetails('pro', false, PRO)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect(await client.getBooleanDetails('pro', true, FREE)).toMatchObject({ value: false, reason: 'DEFAULT' });
    expect(await client.getBooleanDetails('nobody', true, PRO)).toMatchObject({ value: false, reason: 'SPLIT' });
    expect(await client.getBooleanDetails('off', true, PRO)).toMatchObject({ value: false, reason: 'DISABLED' });
  });

  it('resolves a variant key as a string', async () => {
    expect(await client.getStringDetails('layout', 'old', PRO)).toMatchObject({
      value: 'wide',
      variant: 'wide',
      reason: 'SPLIT',
      flagMetadata: { payload: '{"columns":3}' },
    });
    expect(await client.getStringValue('layout', 'old', FREE)).toBe('old');
  });

  it('resolves the payload of remote configuration: objects and numbers', async () => {
    expect(await client.getObjectValue('theme', {}, PRO)).toEqual({ dark: true });
    expect(await client.getObjectValue('theme', { dark: false }, FREE)).toEqual({ dark: false });
    expect(await client.getNumberValue('limit', 7, FREE)).toBe(42);
  });

  it('uses stored person properties, and groups', async () => {
    expect(await client.getBooleanValue('pro', false, { targetingKey: 'stored' })).toBe(true);
    expect(await client.getBooleanValue('pro', false, { targetingKey: 'stored', plan: 'free' })).toBe(false);
    const inGroup = (groups: object, more: object = {}) =>
      client.getBooleanValue('big-companies', false, { targetingKey: 'ada', groups, ...more } as never);
    expect(await inGroup({ company: 'acme' })).toBe(true);
    expect(await inGroup({ company: 'acme' }, { groupProperties: { company: { size: 2 } } })).toBe(false);
    expect(await inGroup({})).toBe(false);
  });

  it('counts as a server, and gets flags for servers', async () => {
    expect(await client.getBooleanValue('for-servers', false, PRO)).toBe(true);
  });

  it.each<[string, string, object]>([
    ['FLAG_NOT_FOUND', 'nowhere', PRO],
    ['GENERAL', 'broken', PRO],
    ['TARGETING_KEY_MISSING', 'pro', { plan: 'pro' }],
    ['TARGETING_KEY_MISSING', 'pro', { targetingKey: '' }],
    ['INVALID_CONTEXT', 'pro', { ...PRO, groups: ['acme'] }],
    ['TYPE_MISMATCH', 'limit', PRO],
  ])('falls back to the default with %s', async (errorCode, key, context) => {
    const details = await client.getBooleanDetails(key, true, context as never);
    expect(details).toMatchObject({ value: true, reason: 'ERROR', errorCode });
  });

  it('sees a change immediately', async () => {
    const { get, patch } = clientFor(server);
    const flags = '/api/projects/1/feature_flags/';
    const { id } = (await get(`${flags}?search=nobody`)).body.results[0];
    await patch(`${flags}${id}/`, { body: { filters: everybody(100) } });
    expect(await client.getBooleanValue('nobody', false, PRO)).toBe(true);
    await patch(`${flags}${id}/`, { body: { filters: everybody(0) } });
  });
});

describe('all flags at once', () => {
  const polled = (tag?: string | null, context: object = PRO) =>
    new OFREPApi(server.url).postBulkEvaluateFlags({ context } as never, {
      headers: { 'X-API-Key': server.projectKey, ...(tag ? { 'If-None-Match': tag } : {}) },
    });
  const tagOf = ({ httpResponse }: { httpResponse?: Response | undefined }) => httpResponse?.headers.get('etag');

  it('are those of /decide/, each as in the request for it alone', async () => {
    const { httpStatus, value } = await polled();
    const { flags } = value as unknown as { flags: { key: string; value?: unknown }[] };
    const decided = await sendJson(server.url, '/decide/?v=4', { token: server.projectKey, distinct_id: 'ada' });
    const names = flags.map(({ key }) => key).sort();
    expect([httpStatus, names]).toEqual([200, [...Object.keys(decided.json.flags), 'for-servers'].sort()]);
    expect(flags.find(({ key }) => key === 'theme')?.value).toEqual({ dark: true });
    expect(flags.find(({ key }) => key === 'broken')).toEqual({
      key: 'broken',
      errorCode: 'GENERAL',
      errorDetails: 'The flag could not be evaluated.',
    });
    for (const flag of flags) {
      const { json } = await ask(`/ofrep/v1/evaluate/flags/${flag.key}`, { context: PRO }, { 'user-agent': 'node' });
      expect(json).toEqual(flag);
    }
  });

  it('are sent again only when something has changed', async () => {
    const tag = tagOf(await polled());
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await polled(tag)).httpStatus).toBe(304);
    expect((await polled(`"x", W/${tag}`)).httpStatus).toBe(304);
    const other = await polled(tag, FREE);
    expect([other.httpStatus, tagOf(other) === tag]).toEqual([200, false]);
    await server.addFlag({ key: 'later', filters: everybody(100) });
    expect((await polled(tag)).httpStatus).toBe(200);
  });

  it('can be polled by a page of another origin', async () => {
    const headers = { origin: 'https://app.example.org', 'access-control-request-headers': 'if-none-match,x-api-key' };
    const preflight = await fetch(`${server.url}/ofrep/v1/evaluate/flags`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match,x-api-key');
    const { status, headers: answered } = await ask(
      '/ofrep/v1/evaluate/flags',
      { context: PRO },
      { origin: headers.origin },
    );
    expect([status, answered['access-control-allow-origin']]).toEqual([200, headers.origin]);
    expect(answered['access-control-expose-headers']).toBe('ETag');
  });
});

/** Strings are sent as they are. */
const ask = (path: string, body: unknown, more: Record<string, string> = {}) => {
  const headers = { authorization: `Bearer ${server.projectKey}`, 'content-type': 'application/json', ...more };
  return send(server.url, path, { headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
};

describe('the protocol', () => {
  const one = '/ofrep/v1/evaluate/flags/pro';
  const all = '/ofrep/v1/evaluate/flags';

  it.each<[string, unknown, string]>([
    ['no context', {}, 'TARGETING_KEY_MISSING'],
    ['a context that is none', { context: 'ada' }, 'INVALID_CONTEXT'],
    ['a targeting key that is none', { context: { targetingKey: { id: 1 } } }, 'INVALID_CONTEXT'],
    ['group properties that are none', { context: { ...PRO, groupProperties: { company: 5 } } }, 'INVALID_CONTEXT'],
    ['no JSON', '{"context": ', 'PARSE_ERROR'],
    ['a body that is no object', '"ada"', 'PARSE_ERROR'],
    ['a body without end', `{"context":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'PARSE_ERROR'],
  ])('answers 400 for %s, in its own form and as the document says', async (_name, body, errorCode) => {
    for (const [path, key] of [
      [one, { key: 'pro' }],
      [all, {}],
    ] as const) {
      const { status, json } = await ask(path, body);
      expect([path, status, json]).toEqual([
        path,
        400,
        { ...key, errorCode, errorDetails: expect.stringMatching(/./) },
      ]);
      expect(api.problemsOf('POST', path, { status, body: json })).toEqual([]);
    }
  });

  it('answers as documented', async () => {
    for (const path of [one, all, '/ofrep/v1/evaluate/flags/nowhere', '/ofrep/v1/evaluate/flags/theme']) {
      const { status, json } = await ask(path, { context: PRO });
      expect(api.problemsOf('POST', path, { status, body: json })).toEqual([]);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['no key', { authorization: '' }],
    ['a wrong key', { authorization: 'Bearer phc_wrong' }],
    ['a wrong key in the other header', { authorization: '', 'x-api-key': 'phc_wrong' }],
    ['a personal key of nobody', { authorization: 'Bearer phx_wrong' }],
  ])('answers 401 for %s', async (_name, headers) => {
    for (const path of [one, all]) {
      const { status, json } = await ask(path, { context: PRO }, headers);
      expect([status, Object.keys(json)]).toEqual([401, ['type', 'code', 'detail', 'attr']]);
    }
  });

  it('accepts a personal key with a project id, and detects callers in a page', async () => {
    const personal = { authorization: `Bearer ${server.personalKey}` };
    const servers = '/ofrep/v1/evaluate/flags/for-servers';
    expect((await ask(`${servers}?project_id=1`, { context: PRO }, personal)).json.value).toBe(true);
    expect((await ask(servers, { context: PRO }, personal)).json).toMatchObject({ errorCode: 'GENERAL' });
    const page = { 'user-agent': 'Mozilla/5.0', origin: 'https://app.example.org' };
    expect((await ask(servers, { context: PRO }, page)).json).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  });

  it('treats hostile attributes as data', async () => {
    const context = '{"targetingKey": 7, "__proto__": {"plan": "pro"}, "constructor": null, "plan": "free"}';
    const { status, json } = await ask(one, `{"context": ${context}}`);
    expect([status, json.value]).toEqual([200, false]);
    expect(({} as { plan?: string }).plan).toBeUndefined();
  });

  it('has no other methods', async () => {
    expect((await fetch(server.url + one)).status).toBe(405);
  });
});
