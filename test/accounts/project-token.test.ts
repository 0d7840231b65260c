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

it.each(['token', 'api_key'])('is taken from %s in the query, before the path', async (name) => {
  const { status, body } = await clientFor(server).get(`/api/projects/1/?${name}=${second.projectKey}`);
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
  const { status } = await clientFor(server).get(`/api/projects/1/events/?token=${stranger.projectKey}`);
  expect(status).toBe(404);
});
