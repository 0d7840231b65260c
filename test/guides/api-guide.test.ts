/** The API guide has an example for every endpoint of flags, experiments, persons, event definitions and web analytics. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

const guide = readFileSync(new URL('../../docs/guides/api.md', import.meta.url), 'utf8');
const COVERED =
  /^\/api\/projects\/\{project_id\}\/(feature_flags|experiments|persons|event_definitions|web_analytics)\//;
/** Endpoints that PostHog does not have, that are like those of another path, or that are only in the OpenAPI document. */
const EXCLUDED =
  /versions|status|remote_config|dashboard|create_static|merges|history|bulk|lifecycle_|reset_|golang|by_name|metrics|deletions|dependent_flags|summary|event_definitions.*activity|shares.*sharing/;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const shapeOf = (path: string): string =>
  path.replace(/\{[^}]+\}|\$[A-Z]+/g, ':id').replace('/projects/1/', '/projects/:id/');

/** `GET /api/projects/:id/persons/:id/` for each curl command. */
function examples(): Set<string> {
  const calls = guide.replace(/\\\n/g, ' ').matchAll(/curl (?:-G )?(?:-X (\w+) )?"?\$CAIRN(\/[^\s"?]*)/g);
  return new Set([...calls].map(([, method = 'GET', path = '']) => `${method} ${shapeOf(path)}`));
}

it('has an example for every endpoint of flags, experiments, role access, persons and event definitions', async () => {
  const response = await fetch(`${server.url}/api/schema/?format=json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const expected = Object.entries(paths)
    .filter(([path]) => COVERED.test(path) && !EXCLUDED.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`))
    .filter((one) => !one.startsWith('PUT '));
  const documented = examples();
  expect(expected.length).toBeGreaterThanOrEqual(40);
  expect(expected.filter((one) => !documented.has(one))).toEqual([]);
});
