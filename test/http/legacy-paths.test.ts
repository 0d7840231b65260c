/** Paths without a project in them, as clients of old use: the request's project key, or the caller, says which. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let second: TestProject;
let stranger: TestProject;
beforeAll(async () => {
  server = await startServer();
  second = await server.createProject({ name: 'Second' });
  stranger = await server.createProject({ foreign: true });
  await capture(server, server.projectKey, [{ event: 'here' }]);
  await capture(server, second.projectKey, [{ event: 'there' }]);
  await capture(server, stranger.projectKey, [{ event: 'elsewhere' }]);
});
afterAll(() => server.close());

const namesAt = async (path: string, project: TestProject = server) => {
  const { status, body } = await clientFor({ ...project, url: server.url }).get(path);
  return [status, (body.results ?? []).map((event: { event: string }) => event.event)];
};

it('lead to the current project of the caller', async () => {
  expect(await namesAt('/api/event/')).toEqual([200, ['here']]);
  expect(await namesAt('/api/event/', stranger)).toEqual([200, ['elsewhere']]);
  const { patch } = clientFor(server);
  await patch('/api/users/@me/', { body: { set_current_team: second.projectId } });
  expect(await namesAt('/api/event/')).toEqual([200, ['there']]);
  await patch('/api/users/@me/', { body: { set_current_team: server.projectId } });
});

it('lead to the project whose key is given', async () => {
  expect(await namesAt(`/api/event/?token=${second.projectKey}`)).toEqual([200, ['there']]);
  expect(await namesAt(`/api/event/?api_key=${server.projectKey}`)).toEqual([200, ['here']]);
});

it("open nobody else's project, and nothing without a key", async () => {
  expect((await namesAt(`/api/event/?token=${server.projectKey}`, stranger))[0]).toBe(404);
  const { status, body } = await clientFor(server).get('/api/event/', { key: null });
  expect([status, body.code]).toEqual([401, 'not_authenticated']);
});

it('do not find what belongs to another project', async () => {
  const [theirs] = (await clientFor(server).get(`/api/event/?token=${second.projectKey}`)).body.results;
  expect((await clientFor(server).get(`/api/event/${theirs.id}/`)).status).toBe(404);
  expect((await clientFor(server).get(`/api/event/${theirs.id}/?token=${second.projectKey}`)).status).toBe(200);
});

it('stand in the document, as those that are not for new clients', async () => {
  const api = await OpenApi.of(server);
  const { paths } = api.document as unknown as { paths: Record<string, Record<string, { deprecated?: boolean }>> };
  expect(paths['/api/event/']?.['get']?.deprecated).toBe(true);
  expect(paths['/api/projects/{project_id}/events/']?.['get']?.deprecated).toBeUndefined();
});
