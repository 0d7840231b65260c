/** A feature needs its own code and a place in the list of features, nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES, tablesOf } from '../src/runtime/features.ts';
import { PLATFORM_MIGRATIONS } from '../src/stores/sql/migrate.ts';
import { clientFor } from './support/client.ts';
import { notesFeature } from './support/notes-feature.ts';
import { startServer, type TestServer } from './support/server.ts';

const migrations = [...PLATFORM_MIGRATIONS, ...tablesOf(FEATURES).migrations];

describe('a feature that is added to the list', () => {
  let server: TestServer;
  let client: ReturnType<typeof clientFor>;
  beforeAll(async () => {
    server = await startServer({ features: [...FEATURES, notesFeature(migrations.length + 1)] });
    client = clientFor(server);
  });
  afterAll(() => server.close());

  it('has its routes, its table and its leader task', async () => {
    const created = await client.post('/api/projects/1/notes/', { body: { text: 'three small words' } });
    expect([created.status, created.body]).toEqual([201, { text: 'three small words' }]);
    await expect
      .poll(async () => (await client.get('/api/projects/1/notes/')).body)
      .toEqual([{ text: 'three small words', words: 3 }]);
  });

  it('is in the API document, and checked like every other route', async () => {
    const { body } = await client.get('/api/schema/');
    expect(Object.keys(body.paths['/api/projects/{project_id}/notes/'])).toEqual(['get', 'post']);
    const { status, body: error } = await client.post('/api/projects/1/notes/', { body: {} });
    expect([status, error.attr]).toEqual([400, 'text']);
  });

  it('has its migration recorded', async () => {
    const [last] = await server.rows('select version, name from schema_version order by version desc limit 1');
    expect(last).toMatchObject({ version: migrations.length + 1, name: 'notes' });
  });

  it('loses its rows with their project', async () => {
    const { projectId } = await server.createProject();
    await client.post(`/api/projects/${projectId}/notes/`, { body: { text: 'gone soon' } });
    await server.metadata.projects.delete(projectId);
    const rows = await server.rows('select project_id from notes');
    expect(rows).toEqual([{ project_id: 1 }]);
  });
});

describe('the list of features', () => {
  it('has each name once', () => {
    const names = FEATURES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is refused with a migration number that is taken', async () => {
    const features = [...FEATURES, notesFeature(1)];
    await expect(startServer({ features })).rejects.toThrow('Migration 1');
  });
});
