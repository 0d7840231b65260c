import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A_GROUP, capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { makeFlag } from '../support/flags.ts';
import { deleteSomebody } from '../support/identities.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember } from '../support/people.ts';
import { realPath } from '../support/real-paths.ts';
import { createSavedInsights } from '../support/saved-insights.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  await capture(server, server.projectKey, [{ event: 'seen', properties: { plan: 'free' } }, A_GROUP]);
  client = clientFor(server);
  await deleteSomebody(server);
  const role = (await client.post('/api/organizations/@current/roles/', { body: { name: 'Flag editors' } })).body;
  await makeFlag(client, role.id);
  await client.post('/api/projects/1/cohorts/', { body: { name: 'Some', is_static: true } });
  await createSavedInsights(client);
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

/** The parts of OpenAPI 3.1 that we use. */
const RESPONSE = {
  type: 'object',
  required: ['description'],
  properties: {
    description: { type: 'string', minLength: 1 },
    content: { type: 'object', additionalProperties: { type: 'object', required: ['schema'] } },
  },
};
const OPERATION = {
  type: 'object',
  required: ['summary', 'tags', 'responses'],
  properties: {
    summary: { type: 'string', minLength: 1 },
    tags: { type: 'array', minItems: 1, items: { type: 'string' } },
    security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'in', 'schema'],
        properties: { in: { enum: ['path', 'query', 'header', 'cookie'] }, required: { type: 'boolean' } },
        if: { properties: { in: { const: 'path' } } },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: { required: ['required'], properties: { required: { const: true } } },
      },
    },
    requestBody: { type: 'object', required: ['content'] },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^(default|[1-5](\\d\\d|XX))$' },
      additionalProperties: RESPONSE,
    },
  },
  patternProperties: { '^x-': true },
};
const SKELETON = {
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: { title: { type: 'string' }, version: { type: 'string' } },
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/([^:*]*)$' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] },
        additionalProperties: OPERATION,
      },
    },
    components: { type: 'object', required: ['securitySchemes'] },
  },
};

describe('the document', () => {
  it('has the shape of OpenAPI 3.1', () => {
    const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(SKELETON);
    isValid(api.document);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it('holds schemas that are JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    // Most operations share the same errors.
    const compiled = new Set<string>();
    for (const { method, path, body, responses } of api.operations) {
      const answers = Object.values(responses).map((response) => response.content?.['application/json']?.schema);
      for (const schema of [body, ...answers]) {
        if (!schema || compiled.has(JSON.stringify(schema))) continue;
        expect(() => ajv.compile(schema), `${method} ${path}`).not.toThrow();
        compiled.add(JSON.stringify(schema));
      }
    }
  });

  it('declares each parameter that a path has, and no other', () => {
    for (const [path, methods] of Object.entries(api.document.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const described of Object.values(methods) as unknown as { parameters?: { in: string; name: string }[] }[]) {
        const declared = (described.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name);
        expect(declared, path).toEqual(inPath);
      }
    }
  });

  it('names security schemes that it declares', () => {
    expect(JSON.stringify(api.document)).toContain('"personalKey":{"type":"http","scheme":"bearer"');
  });

  it('has error responses for every private operation', () => {
    for (const { method, path, isPrivate, responses } of api.operations) {
      if (isPrivate) expect(Object.keys(responses), `${method} ${path}`).toContain('4XX');
    }
  });

  it('requires a key everywhere but for signing in', () => {
    const open = api.operations.filter((one) => one.path.startsWith('/api/') && !one.isPrivate);
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/login/',
      'POST /api/login/token/',
      'GET /api/login/options/',
      'POST /api/setup/',
      'POST /api/logout/',
      'POST /api/login/precheck',
      'GET /api/login/link/',
      'POST /api/login/link/',
      'GET /api/signup/{invite_id}/',
      'POST /api/signup/{invite_id}/',
      'POST /api/reset/',
      'GET /api/reset/{user_uuid}/',
      'POST /api/reset/{user_uuid}/',
      'POST /api/webauthn/login/begin',
      'POST /api/webauthn/login/complete',
    ]);
  });
});

describe('every route', () => {
  it('is in the document: each path in the sources', () => {
    const folder = new URL('../../src/features/', import.meta.url);
    const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\/api\/[^/]+-routes?\.ts$/.test(file))
      .flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(/['`](\/api\/[^'`$]*)['`]/g)])
      .map(([, url = '']) => url.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((url) => url !== '/api/');
    expect(written.length).toBeGreaterThan(10);
    const paths = Object.keys(api.document.paths);
    // Some are prefixes of others.
    const isDocumented = (url: string): boolean => paths.some((path) => path === url || path.startsWith(`${url}/`));
    expect(written.filter((url) => !isDocumented(url))).toEqual([]);
  });

  it('is in the document: no documented path accepts another method', async () => {
    // Public endpoints accept GET for old clients; the document has only the intended method.
    for (const path of Object.keys(api.document.paths).filter((one) => one.startsWith('/api/'))) {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (method) => api.find(method, path)?.path !== path,
      );
      const url = server.url + path.replaceAll(/\{\w+\}/g, '@current');
      const headers = { authorization: `Bearer ${server.personalKey}` };
      const responses = await Promise.all(others.map((method) => fetch(url, { method, headers })));
      expect([path, ...responses.map(({ status }) => status)]).toEqual([path, ...others.map(() => 405)]);
    }
  });
});

describe('real responses', () => {
  /** Calls, and checks the response against the document. */
  const checked = async (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: unknown) => {
    const answer = await client[method](path, body === undefined ? {} : { body });
    expect(api.problemsOf(method.toUpperCase(), path, answer)).toEqual([]);
    return answer;
  };
  const organization = '/api/organizations/@current/';

  it('match it: creating, updating and deleting one of everything', async () => {
    const made = await checked('post', `${organization}invites/`, { target_email: 'ada@example.org', level: 1 });
    await checked('delete', `${organization}invites/${made.body.id}/`);
    const member = await addMember(server, 'ada@example.org');
    await checked('patch', `${organization}members/${member.uuid}/`, { level: 8 });
    const role = await checked('post', `${organization}roles/`, { name: 'Editors' });
    const one = `${organization}roles/${role.body.id}/`;
    await checked('patch', one, { name: 'Writers', feature_flags_access_level: 21 });
    await checked('post', `${one}role_memberships/`, { user_uuid: member.uuid });
    const access = await checked('post', `${organization}resource_access/`, { resource: 'feature flags' });
    await checked('patch', `${organization}resource_access/${access.body.id}/`, { access_level: 21 });
    await checked('patch', organization, { name: 'Renamed' });
    await checked('patch', '/api/projects/1/', { events_retention_days: 90, correlation_config: { a: 1 } });
    await checked('patch', '/api/projects/1/reset_token/');
    await checked('patch', '/api/projects/1/rotate_secret_token/');
    const secret = await checked('post', '/api/projects/1/secret_keys/', { label: 'Orders service' });
    await checked('post', `/api/projects/1/secret_keys/${secret.body.id}/roll/`);
    await checked('delete', `/api/projects/1/secret_keys/${secret.body.id}/`);
    const { body: cohort } = await checked('post', '/api/projects/1/cohorts/', { name: 'Few', is_static: true });
    await checked('patch', `/api/cohort/${cohort.id}/`, { filters: { properties: [] } });
    await checked('post', `/api/cohort/${cohort.id}/add_persons_to_static_cohort/`, { person_ids: ['ada'] });
    await checked('patch', `/api/cohort/${cohort.id}/remove_person_from_static_cohort/`, { person_id: 'ada' });
    await checked('patch', '/api/users/@me/', { first_name: 'Grace' });
    await checked('post', '/api/login/', { email: member.email, password: member.password });
    await checked('post', '/api/logout/');
    for (const [collection, body] of [
      ['/api/personal_api_keys/', { label: 'CI', scopes: ['*'] }],
      ['/api/projects/', { name: 'Second' }],
      ['/api/organizations/', { name: 'Second' }],
      [`${organization}roles/`, { name: 'Second' }],
    ] as const) {
      const { body: made } = await checked('post', collection, body);
      expect((await checked('delete', `${collection}${made.id}/`)).status).toBe(204);
    }
  });

  it('match it: every GET', async () => {
    // Sign-up, reset and linking need a token.
    const reads = api.operations.filter(
      ({ method, path }) => method === 'GET' && /^\/api\/(?!signup|reset|login\/link)/.test(path),
    );
    expect(reads.length).toBeGreaterThan(12);
    const needsSession = /(users|members)\/{\w+}\/sessions\/$|two_factor|2fa|webauthn/;
    for (const operation of reads) {
      const answer = await checked('get', await realPath(client.get, operation));
      // Nothing has failed, so there is no dead letter. Sessions and factors are not for keys.
      const missing = operation.path.includes('/dead_letters/{') ? 404 : 200;
      const expected = needsSession.test(operation.path) ? 403 : missing;
      expect([operation.path, answer.status]).toEqual([operation.path, expected]);
    }
  });

  it('match it: errors', async () => {
    expect((await checked('post', '/api/login/', {})).status).toBe(400);
    expect((await checked('get', '/api/projects/0/')).status).toBe(404);
    expect((await checked('get', '/api/users/nobody/')).status).toBe(403);
  });
});

const MISSING_LIMITS = /property '(?:mask_value|last_used_ip|last_rolled_at|scope\w+|expires_at)'$/;

describe('the checker', () => {
  it('finds a response that does not match the document', () => {
    const body = { id: 1, label: 'x', created_at: 'yesterday', last_used_at: null };
    const checked = api.problemsOf('POST', '/api/personal_api_keys/', { status: 201, body });
    expect(checked.filter((problem) => !MISSING_LIMITS.test(problem))).toEqual([
      "POST /api/personal_api_keys/ → 201: body must have required property 'user_id'",
      "POST /api/personal_api_keys/ → 201: body must have required property 'value'",
      'POST /api/personal_api_keys/ → 201: /id must be string',
      'POST /api/personal_api_keys/ → 201: /created_at must match format "date-time"',
    ]);
    expect(api.problemsOf('GET', '/api/nothing/', { status: 200, body })).toHaveLength(1);
    expect(api.problemsOf('GET', '/api/projects/', { status: 500, body })).toHaveLength(1);
  });
});
