/** A project key on a private route chooses the project. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let second: TestProject;
let stranger: TestProject;
beforeAll(async () => {
  server = await startServer();
  second = await server.createProject({ name: 'Second' });
  stranger = await server.createProject({ foreign: true });
});
afterAll(() => server.close());

it.each(['token', 'api_key'])('is taken from %s in the query, where the path names no project', async (name) => {
  const { status, body } = await clientFor(server).get(`/api/projects/@current/?${name}=${second.projectKey}`);
  expect([status, body.id, body.name]).toEqual([200, second.projectId, 'Second']);
});

it('is taken from the body', async () => {
  const { body } = await clientFor(server).patch('/api/projects/@current/', {
    body: { token: second.projectKey, timezone: 'Europe/Berlin' },
  });
  expect([body.id, body.timezone]).toEqual([second.projectId, 'Europe/Berlin']);
});

it('is refused if no project has it', async () => {
  const { status, body } = await clientFor(server).get('/api/projects/1/events/?token=phc_nobody');
  expect([status, body]).toEqual([
    401,
    {
      type: 'authentication_error',
      code: 'authentication_failed',
      detail: 'Incorrect authentication credentials.',
      attr: null,
    },
  ]);
});

it('gives no access to projects of others', async () => {
  const { status } = await clientFor(server).get(`/api/projects/@current/?token=${stranger.projectKey}`);
  expect(status).toBe(404);
});

it('must be of the project in the path, whoever has it', async () => {
  const mismatch = [400, 'invalid_project', 'token'];
  const client = clientFor(server);
  for (const key of [second.projectKey, stranger.projectKey]) {
    for (const path of [`/api/projects/1/?token=${key}`, `/api/projects/1/events/?api_key=${key}`]) {
      const { status, body } = await client.get(path);
      expect([status, body.code, body.attr]).toEqual(mismatch);
    }
    const inBody = await client.patch('/api/projects/1/', { body: { token: key, timezone: 'Europe/Rome' } });
    expect([inBody.status, inBody.body.code, inBody.body.attr]).toEqual(mismatch);
    const both = `/api/projects/1/?token=${server.projectKey}&api_key=${key}`;
    expect((await client.get(both)).status).toBe(400);
  }
  const own = await client.get(`/api/projects/1/?token=${server.projectKey}`);
  expect([own.status, own.body.timezone]).toEqual([200, 'UTC']);
});
