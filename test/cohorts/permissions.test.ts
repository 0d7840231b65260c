/** Who may not edit a flag may not change whom it reaches either: through its cohorts, or by deleting persons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: ReturnType<typeof clientFor>;
let viewer: ReturnType<typeof clientFor>;
let grantee: TestMember;
beforeAll(async () => {
  server = await startServer();
  owner = clientFor(server);
  const member = await addMember(server, 'viewer@example.org');
  grantee = await addMember(server, 'grantee@example.org');
  viewer = clientFor({ url: server.url, personalKey: member.personalKey });
  await capture(server, server.projectKey, [{ event: 'seen', distinct_id: 'ada' }]);
  await owner.post('/api/organizations/@current/resource_access/', {
    body: { resource: 'feature flags', access_level: 21 },
  });
});
afterAll(() => server.close());

const COHORTS = '/api/projects/1/cohorts/';
const FLAGS = '/api/projects/1/feature_flags/';
const ROLES = '/api/organizations/@current/roles/';

const makeCohort = async (body: object) => (await owner.post(COHORTS, { body })).body.id as number;
const inCohort = (id: number) => ({ key: 'id', type: 'cohort', value: id });
const criteria = (...values: object[]) => ({ filters: { properties: { type: 'AND', values } } });
const makeFlag = async (key: string, cohortId: number) =>
  (await owner.post(FLAGS, { body: { key, filters: { groups: [{ properties: [inCohort(cohortId)] }] } } })).body
    .id as number;

describe('the cohort of a flag', () => {
  it('is changed by nobody who may not edit the flag, in no way', async () => {
    const cohort = await makeCohort({ name: 'Beta', is_static: true });
    await makeFlag('beta', cohort);
    const one = `${COHORTS}${cohort}/`;
    const form = new FormData();
    form.set('csv', new Blob(['ada\n']), 'persons.csv');
    const upload = await fetch(new URL(one, server.url), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${grantee.personalKey}` },
      body: form,
    });
    expect(upload.status).toBe(403);
    const attempts = [
      () => viewer.patch(one, { body: { name: 'Mine' } }),
      () => viewer.put(one, { body: { name: 'Mine' } }),
      () => viewer.patch(one, { body: { deleted: true } }),
      () => viewer.patch(one, { body: { is_static: false, ...criteria({ key: 'a', type: 'person', value: 'b' }) } }),
      () => viewer.patch(one, { body: { _create_static_person_ids: ['ada'] } }),
      () => viewer.post(`${one}add_persons_to_static_cohort/`, { body: { person_ids: ['ada'] } }),
      () => viewer.patch(`${one}remove_person_from_static_cohort/`, { body: { person_id: 'ada' } }),
    ];
    for (const attempt of attempts) {
      const { status, body } = await attempt();
      expect([status, body]).toEqual([
        403,
        {
          type: 'authentication_error',
          code: 'permission_denied',
          detail:
            "The feature flag 'beta' targets this cohort, and you don't have edit permissions for that feature flag.",
          attr: null,
        },
      ]);
    }
    expect((await owner.get(one)).body).toMatchObject({ name: 'Beta', deleted: false, is_static: true });
    expect((await owner.get(`${one}persons/`)).body.results).toEqual([]);
  });

  it('is protected through other cohorts, and also while it is deleted', async () => {
    const inner = await makeCohort({ name: 'Inner', ...criteria({ key: 'a', type: 'person', value: 'b' }) });
    const outer = await makeCohort({ name: 'Outer', ...criteria({ ...inCohort(inner), type: 'cohort' }) });
    await makeFlag('nested', outer);
    expect((await viewer.patch(`${COHORTS}${inner}/`, { body: { name: 'x' } })).status).toBe(403);
    await owner.patch(`${COHORTS}${outer}/`, { body: { deleted: true } });
    expect((await viewer.patch(`${COHORTS}${outer}/`, { body: { deleted: false } })).status).toBe(403);
  });

  it('is changed by those who may edit the flag, and other cohorts by all', async () => {
    const cohort = await makeCohort({ name: 'Granted', is_static: true });
    const flag = await makeFlag('granted', cohort);
    const asGrantee = clientFor({ url: server.url, personalKey: grantee.personalKey });
    const rename = () => asGrantee.patch(`${COHORTS}${cohort}/`, { body: { name: 'Renamed' } });
    expect((await rename()).status).toBe(403);
    const role = (await owner.post(ROLES, { body: { name: 'Granted' } })).body;
    await owner.post(`${ROLES}${role.id}/role_memberships/`, { body: { user_uuid: grantee.uuid } });
    await owner.post(`${FLAGS}${flag}/role_access/`, { body: { role_id: role.id } });
    expect((await rename()).status).toBe(200);
    const own = await viewer.post(COHORTS, { body: { name: 'Own', is_static: true } });
    expect(own.status).toBe(201);
    expect((await viewer.patch(`${COHORTS}${own.body.id}/`, { body: { name: 'Mine' } })).status).toBe(200);
  });
});

describe('a member who may only view flags', () => {
  const refused = {
    type: 'authentication_error',
    code: 'permission_denied',
    detail: 'You can only view feature flags in this organization. Ask an admin for the right to edit.',
    attr: null,
  };

  it('creates none', async () => {
    const { status, body } = await viewer.post(FLAGS, { body: { key: 'mine' } });
    expect([status, body]).toEqual([403, refused]);
    expect((await viewer.post('/api/feature_flag/', { body: { key: 'mine' } })).status).toBe(403);
  });

  it('deletes and splits no persons, and loads no demo data', async () => {
    const persons = '/api/projects/1/persons/';
    const { id } = (await owner.get(`${persons}?distinct_id=ada`)).body.results[0];
    const deleted = await viewer.delete(`${persons}${id}/?delete_events=true`);
    expect([deleted.status, deleted.body]).toEqual([403, refused]);
    expect((await viewer.delete(`/api/person/${id}/`)).status).toBe(403);
    expect((await viewer.post(`${persons}${id}/split/`, { body: {} })).status).toBe(403);
    expect((await viewer.post('/api/projects/1/demo_data/', { body: {} })).status).toBe(403);
    expect((await owner.get(`${persons}${id}/`)).status).toBe(200);
  });
});
