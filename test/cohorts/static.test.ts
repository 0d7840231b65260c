import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await server.createProject();
  await capture(
    server,
    project.projectKey,
    ['ada', 'bob', 'eve', 'a,b'].map((id) => ({ distinct_id: id, properties: { $set: { email: `${id}@x.io` } } })),
  );
});

const path = (rest = ''): string => `/api/projects/${project.projectId}/cohorts/${rest}`;
/** A form with a file, as a browser would send it. */
async function sendForm(method: string, url: string, csv: string, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('csv', new Blob([csv], { type: 'text/csv' }), 'persons.csv');
  const headers = { authorization: `Bearer ${server.personalKey}` };
  const response = await fetch(server.url + url, { method, body: form, headers });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and assert what they find
  return { status: response.status, body: (await response.json()) as any };
}
const members = async (id: number): Promise<string[]> =>
  (await client.get(path(`${id}/persons/`))).body.results
    .map((person: { distinct_ids: string[] }) => person.distinct_ids[0])
    .sort();
const makeStatic = async (csv: string) => {
  const { status, body } = await sendForm('POST', path(), csv, { name: 'Friends', is_static: 'true' });
  expect(status).toBe(201);
  return body;
};

describe('a static cohort', () => {
  it('reads distinct ids from the first column of a file', async () => {
    const cohort = await makeStatic('distinct_id,name\r\nada,Ada\r\n"a,b",x\r\nnobody,y\r\nada,again\r\n');
    expect(cohort).toMatchObject({ name: 'Friends', is_static: true, is_calculating: false, count: null });
    expect(await members(cohort.id)).toEqual(['a,b', 'ada']);
  });

  it('ignores e-mail addresses and persons of other projects', async () => {
    const other = await server.createProject();
    await capture(server, other.projectKey, [{ distinct_id: 'theirs' }]);
    const { id } = await makeStatic('ada@x.io\ntheirs\n');
    expect(await members(id)).toEqual([]);
  });

  it('grows with every further file', async () => {
    const { id } = await makeStatic('ada');
    const { status } = await sendForm('PATCH', path(`${id}/`), 'bob\nada');
    expect([status, await members(id)]).toEqual([200, ['ada', 'bob']]);
    const { body } = await client.get(path(`${id}/activity/`));
    expect(body.results[0].detail.changes).toEqual([
      { type: 'Cohort', action: 'changed', field: 'persons', before: 1, after: 2 },
    ]);
  });

  it('accepts thousands of lines', async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `nobody ${i}`);
    const { id } = await makeStatic(['ada', ...lines, 'eve'].join('\n'));
    expect(await members(id)).toEqual(['ada', 'eve']);
  });

  it('accepts persons as JSON: by uuid or by distinct id', async () => {
    const all = (await client.get(`/api/projects/${project.projectId}/persons/?distinct_id=bob`)).body.results;
    const body = { is_static: true, _create_static_person_ids: [all[0].uuid.toUpperCase(), 'eve', 'nobody'] };
    const { body: cohort } = await client.post(path(), { body });
    expect(await members(cohort.id)).toEqual(['bob', 'eve']);
  });

  it('lets persons be added and removed', async () => {
    const { id } = await makeStatic('ada');
    const add = (person_ids: unknown) =>
      client.post(path(`${id}/add_persons_to_static_cohort/`), { body: { person_ids } });
    const remove = (body: object) => client.patch(path(`${id}/remove_person_from_static_cohort/`), { body });
    expect((await add(['bob', 'nobody'])).body).toEqual({ success: true });
    expect((await add([])).status).toBe(200);
    expect((await add('bob')).status).toBe(400);
    expect(await members(id)).toEqual(['ada', 'bob']);
    expect((await remove({ person_id: 'ada' })).body).toEqual({ success: true });
    expect((await remove({ person_id: 'ada' })).status).toBe(404);
    expect((await remove({})).body).toMatchObject({ code: 'required', attr: 'person_id' });
    expect(await members(id)).toEqual(['bob']);
  });

  it('is the only kind to which persons can be added by hand', async () => {
    const { body: dynamic } = await client.post(path(), { body: { name: 'A' } });
    const person_ids = ['ada'];
    const add = await client.post(path(`${dynamic.id}/add_persons_to_static_cohort/`), { body: { person_ids } });
    expect([add.status, add.body.detail]).toEqual([
      400,
      expect.stringMatching(/only be added to or removed from static cohorts/),
    ]);
    expect((await sendForm('PATCH', path(`${dynamic.id}/`), 'ada')).status).toBe(400);
    for (const csv of ['ada', 'nobody', '']) expect((await sendForm('POST', path(), csv)).status).toBe(400);
    expect((await client.get(path())).body.count).toBe(1);
  });

  it('can become dynamic and static again, and keeps its members', async () => {
    const { id } = await makeStatic('ada');
    const filters = { properties: { type: 'AND', values: [{ key: 'email', type: 'person', value: 'bob@x.io' }] } };
    const { body } = await client.patch(path(`${id}/`), { body: { is_static: false, filters } });
    expect(body).toMatchObject({ is_static: false, is_calculating: true });
    expect(await members(id)).toEqual(['bob']);
    await server.settleCohorts();
    expect(await members(id)).toEqual(['bob']);
    await client.patch(path(`${id}/`), { body: { is_static: true } });
    expect(await members(id)).toEqual(['bob']);
    expect((await client.get(path(`${id}/`))).body).toMatchObject({ is_static: true, count: null });
  });

  it('accepts criteria as text in a form, and rejects invalid ones', async () => {
    const filters = JSON.stringify({ properties: { type: 'AND', values: [] } });
    const good = await sendForm('POST', path(), '', { filters, is_static: 'true' });
    expect([good.status, good.body.filters]).toEqual([201, JSON.parse(filters)]);
    const bad = await sendForm('POST', path(), 'ada', { filters: '{', is_static: 'true' });
    expect([bad.status, bad.body.attr]).toEqual([400, 'filters']);
  });

  it('loses a person who is deleted', async () => {
    const { id } = await makeStatic('ada\nbob');
    const [ada] = (await client.get(path(`${id}/persons/?search=ada`))).body.results;
    await client.delete(`/api/projects/${project.projectId}/persons/${ada.id}/`);
    expect(await members(id)).toEqual(['bob']);
    expect(await server.rows('select * from cohort_members where person_id = ?', ada.id)).toEqual([]);
  });

  it('can be part of a dynamic cohort, which follows its changes', async () => {
    const { id } = await makeStatic('ada');
    const filters = { properties: { type: 'AND', values: [{ key: 'id', type: 'cohort', value: id }] } };
    const { body: outer } = await client.post(path(), { body: { filters } });
    await server.settleCohorts();
    expect(await members(outer.id)).toEqual(['ada']);
    await client.post(path(`${id}/add_persons_to_static_cohort/`), { body: { person_ids: ['eve'] } });
    await server.settleCohorts();
    expect(await members(outer.id)).toEqual(['ada', 'eve']);
  });
});
