/**
 * Recorded cohorts: events sent over HTTP, criteria as recorded, then the members. The cases lie outside of
 * the repository; each gets a project of its own.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

interface Case {
  id: string;
  family: string;
  now: string;
  events: SentEvent[];
  persons: { distinct_ids: string[]; properties: object; created_at: string }[];
  filter: object;
  expected: { path: string; op: string; value: string[] }[];
}

describeVectors<{ cases: Case[] }>('recorded cohorts', 'insight-cases.json', ({ cases: all }) => {
  const cases = all.filter(({ family }) => family === 'cohort');
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it('are there', () => {
    expect(cases.length).toBeGreaterThan(0);
  });

  it.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const project = await server.createProject();
    const client = clientFor(server);
    // Persons come with their first event; it is none that any of the cases asks for.
    const births = one.persons.map(({ distinct_ids: [id = ''], properties, created_at }) => ({
      event: '$set',
      distinct_id: id,
      timestamp: created_at,
      properties: { $set: properties },
    }));
    server.setNow(one.now);
    await capture(server, project.projectKey, [...births, ...one.events]);
    const path = `/api/projects/${project.projectId}/cohorts/`;
    const { status, body: cohort } = await client.post(path, { body: { name: one.id, filters: one.filter } });
    expect(status).toBe(201);
    const found = async (): Promise<string[]> => {
      const { body } = await client.get(`${path}${cohort.id}/persons/`);
      return body.results.map((person: { distinct_ids: string[] }) => `person:${person.distinct_ids[0]}`).sort();
    };
    const [wanted] = one.expected;
    expect([one.expected.length, wanted?.path, wanted?.op]).toEqual([1, '[*].id', 'same_items']);
    const expected = [...(wanted?.value ?? [])].sort();
    expect(await found()).toEqual(expected);
    await server.settleCohorts();
    expect(await found()).toEqual(expected);
    expect((await client.get(`${path}${cohort.id}/`)).body.count).toBe(expected.length);
  });
});
