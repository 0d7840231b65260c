/** Listing and undoing merges. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { eventsByPerson, identify, type KnownPerson, personOf } from '../support/identities.ts';
import { OpenApi } from '../support/openapi.ts';
import { sendJson } from '../support/send.ts';
import { isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

/** A separate project, with the calls of these tests. */
class MergeProject {
  readonly project: TestProject;

  constructor(project: TestProject) {
    this.project = project;
  }

  static open = async (): Promise<MergeProject> => new MergeProject(await server.createProject());

  /** One by one: within a request, only events of the same id keep their order. */
  async send(...events: SentEvent[]): Promise<void> {
    for (const event of events) await capture(server, this.project.projectKey, [event]);
  }
  person = (distinctId: string): Promise<KnownPerson> =>
    personOf({ metadata: server.metadata, projectId: this.project.projectId }, distinctId);
  owners = () =>
    eventsByPerson({
      query: (sql) =>
        server.query(sql.replace('from events', 'from events where project_id = $1'), [this.project.projectId]),
    });
  path = (rest: string): string => `/api/projects/${this.project.projectId}/persons/${rest}`;
  merges = async (distinctId: string) =>
    (await client.get(this.path(`${(await this.person(distinctId)).uuid}/merges/`))).body.results;
  undo = (id: number | string) => client.post(this.path(`merges/${id}/undo/`));
}

const set = (distinct_id: string, $set: object): SentEvent => ({ event: 'set', distinct_id, properties: { $set } });
const merge = (target: string, source: string): SentEvent => ({
  event: '$merge_dangerously',
  distinct_id: target,
  properties: { alias: source },
});

describe('a merge', () => {
  it('is listed with both original persons, and undone with ids, properties and events', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', { name: 'Ada' }), set('bob', { name: 'Bob', city: 'Rome' }));
    const [ada, bob] = [await project.person('ada'), await project.person('bob')];
    await project.send({ ...merge('ada', 'bob'), uuid: '0190b5a0-0000-7000-8000-00000000abcd' });
    await project.send({ event: 'later', distinct_id: 'bob' }, { event: 'later', distinct_id: 'ada' });
    expect(await project.person('bob')).toEqual({ ...(await project.person('ada')), id: ada.id });
    const [listed] = await project.merges('ada');
    const snapshot = ({ uuid, properties }: KnownPerson) => ({ uuid, properties, created_at: '2026-01-15T12:00:00Z' });
    expect(listed).toEqual({
      id: expect.any(Number),
      kind: 'merge_dangerously',
      source: snapshot(bob),
      target: snapshot(ada),
      merged_at: '2026-01-15T12:00:00Z',
      event_uuid: '0190b5a0-0000-7000-8000-00000000abcd',
      moved_distinct_ids: ['bob'],
      undone_at: null,
      can_be_undone: true,
      reason: null,
    });
    const answer = await project.undo(listed.id);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      success: true,
      source: { id: bob.id, uuid: bob.uuid, name: 'bob', distinct_ids: ['bob'], properties: bob.properties },
      target: { id: ada.id, uuid: ada.uuid, name: 'ada', distinct_ids: ['ada'], properties: ada.properties },
    });
    const api = await OpenApi.of(server);
    expect(api.problemsOf('POST', project.path(`merges/${listed.id}/undo/`), answer)).toEqual([]);
    expect([await project.person('ada'), await project.person('bob')]).toEqual([ada, bob]);
    expect(await server.rows('select * from retired_person_uuids where uuid = ?', bob.uuid)).toEqual([]);
    expect((await project.merges('bob'))[0]).toMatchObject({
      undone_at: '2026-01-15T12:00:00Z',
      can_be_undone: false,
      reason: 'This merge was already undone.',
    });
    if (isWithoutEvents) return;
    expect(await project.owners()).toEqual({
      [ada.uuid]: ['ada $merge_dangerously', 'ada later', 'ada set'],
      [bob.uuid]: ['bob later', 'bob set'],
    });
  });

  it('cannot be undone twice, but can be repeated and undone again', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', { a: 1 }), set('bob', { b: 2 }), merge('ada', 'bob'));
    const [first] = await project.merges('ada');
    await project.undo(first.id);
    const again = await project.undo(first.id);
    expect([again.status, again.body.code, again.body.detail]).toEqual([
      409,
      'conflict',
      'This merge was already undone.',
    ]);
    await project.send(merge('ada', 'bob'));
    expect((await project.person('bob')).properties).toMatchObject({ a: 1, b: 2 });
    const [second] = await project.merges('ada');
    expect((await project.undo(second.id)).status).toBe(201);
    expect((await project.person('bob')).properties).toMatchObject({ b: 2 });
    expect((await project.person('bob')).properties).not.toHaveProperty('a');
    if (isWithoutEvents) return;
    expect((await project.owners())[(await project.person('bob')).uuid]).toEqual(['bob set']);
  });

  it('restores cohort memberships and stored flag identifiers, and removes only those from the survivor', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', {}), set('bob', {}));
    const [ada, bob] = [await project.person('ada'), await project.person('bob')];
    const P = `/api/projects/${project.project.projectId}`;
    const flag = { filters: { groups: [{ rollout_percentage: 50 }] }, ensure_experience_continuity: true };
    for (const key of ['both', 'his']) await client.post(`${P}/feature_flags/`, { body: { key, ...flag } });
    const csv = (ids: string) => ({ name: ids, is_static: true, _create_static_person_ids: ids.split(' ') });
    for (const ids of [`${ada.uuid} ${bob.uuid}`, bob.uuid]) await client.post(`${P}/cohorts/`, { body: csv(ids) });
    const decide = (distinct_id: string, anon: string, flag_keys: string[]) =>
      sendJson(server.url, '/flags/?v=2', {
        token: project.project.projectKey,
        distinct_id,
        $anon_distinct_id: anon,
        flag_keys,
      });
    await decide('bob', 'bob before', ['both', 'his']);
    const kept = async () => [
      await server.rows(
        'select flag_key, identifier from flag_overrides where person_id = ? order by flag_key',
        ada.id,
      ),
      await server.rows(
        'select flag_key, identifier from flag_overrides where person_id = ? order by flag_key',
        bob.id,
      ),
      await server.rows('select cohort_id from cohort_members where person_id = ? order by cohort_id', ada.id),
      await server.rows('select cohort_id from cohort_members where person_id = ? order by cohort_id', bob.id),
    ];
    const before = await kept();
    expect(before.map((rows) => rows.length)).toEqual([0, 2, 1, 2]);
    await project.send(merge('ada', 'bob'));
    expect((await kept()).map((rows) => rows.length)).toEqual([2, 0, 2, 0]);
    const [listed] = await project.merges('ada');
    expect((await project.undo(listed.id)).status).toBe(201);
    expect(await kept()).toEqual(before);
  });

  it('cannot be undone before a later one, and names it', async () => {
    const project = await MergeProject.open();
    await project.send(set('a', {}), set('b', {}), set('c', {}), merge('b', 'a'), merge('c', 'b'));
    const listed = await project.merges('c');
    expect(listed.map((one: { can_be_undone: boolean }) => one.can_be_undone)).toEqual([true, false]);
    const [top, below] = listed;
    const refused = await project.undo(below.id);
    const reason = `The person was later merged into ${(await project.person('c')).uuid}: undo merge ${top.id} first.`;
    expect([refused.status, refused.body.detail, below.reason]).toEqual([409, reason, reason]);
    expect((await project.undo(top.id)).status).toBe(201);
    expect((await project.undo(below.id)).status).toBe(201);
    const uuids = await Promise.all(['a', 'b', 'c'].map(async (id) => (await project.person(id)).uuid));
    expect(new Set(uuids).size).toBe(3);
    if (isWithoutEvents) return;
    expect(Object.values(await project.owners()).map((events) => events.length)).toEqual(
      expect.arrayContaining([1, 2, 2]),
    );
  });

  it('keeps later changes with the survivor, and returns ids that were not split off', async () => {
    const project = await MergeProject.open();
    await project.send(set('bob', { city: 'Rome', plan: 'free' }), identify('bob', 'bob phone'));
    await project.send(set('ada', {}), merge('ada', 'bob'));
    await project.send(identify('ada', 'ada tablet'), set('bob', { plan: 'pro' }));
    const [listed] = await project.merges('ada');
    await client.post(project.path(`${(await project.person('ada')).id}/split/`), {
      body: { main_distinct_id: 'ada' },
    });
    expect((await project.merges('ada'))[0].reason).toBe(
      'The person no longer has any of the moved distinct ids: they were split off.',
    );
    expect((await project.undo(listed.id)).status).toBe(409);
    await project.send(merge('ada', 'bob phone'));
    const answer = await project.undo(listed.id);
    expect([answer.status, answer.body.source?.distinct_ids]).toEqual([201, ['bob phone']]);
    expect(answer.body.source.properties).toMatchObject({ city: 'Rome', plan: 'free' });
    expect(answer.body.target).toMatchObject({ distinct_ids: ['ada'], properties: { plan: 'pro' } });
    expect(answer.body.target.properties).not.toHaveProperty('city');
  });

  it('is removed with a deleted person', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', {}), set('bob', {}), merge('ada', 'bob'));
    const [listed] = await project.merges('ada');
    await client.delete(project.path(`${(await project.person('ada')).id}/`));
    expect((await project.undo(listed.id)).status).toBe(404);
  });

  it('is recorded in the activity of both persons', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', {}), set('bob', {}), merge('ada', 'bob'));
    const [listed] = await project.merges('ada');
    await project.undo(listed.id);
    const entries = await server.rows(
      `select activity, item_id, detail from activity where project_id = ? and scope = 'Person' order by position`,
      project.project.projectId,
    );
    const logged = entries.map(({ activity, item_id, detail }) => [activity, item_id, JSON.parse(detail).name]);
    const [ada, bob] = [await project.person('ada'), await project.person('bob')];
    expect(logged).toEqual([
      ['undid_merge', String(bob.id), bob.uuid],
      ['undid_merge', String(ada.id), ada.uuid],
    ]);
    expect(JSON.parse(entries[0].detail).changes).toEqual([
      {
        type: 'Person',
        action: 'split',
        field: null,
        before: { distinct_ids: ['ada', 'bob'] },
        after: { distinct_ids: ['bob'] },
      },
    ]);
  });

  it.each(['0', '-1', 'x', '1.5', '9'.repeat(30)])('%s is not found', async (id) => {
    const project = await MergeProject.open();
    expect((await project.undo(id)).status).toBe(404);
  });

  it('of another project is not found, and outsiders are rejected', async () => {
    const project = await MergeProject.open();
    await project.send(set('ada', {}), set('bob', {}), merge('ada', 'bob'));
    const [listed] = await project.merges('ada');
    const other = await server.createProject({ foreign: true });
    const key = { key: other.personalKey };
    expect((await client.post(project.path(`merges/${listed.id}/undo/`), key)).status).toBe(404);
    expect((await client.get(project.path(`${(await project.person('ada')).id}/merges/`), key)).status).toBe(404);
    const theirs = `/api/projects/${other.projectId}/persons/merges/${listed.id}/undo/`;
    expect((await client.post(theirs, key)).status).toBe(404);
    expect((await client.get(project.path('999999/merges/'))).status).toBe(404);
    expect((await project.merges('ada'))[0].can_be_undone).toBe(true);
  });
});

const IDS = ['a', 'b', 'c', 'd', 'e'];
const ids = fc.constantFrom(...IDS);
const beginnings = fc.record({
  sets: fc.array(fc.tuple(ids, fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.nat(2))), { maxLength: 6 }),
  joined: fc.array(fc.tuple(ids, fc.nat(1)), { maxLength: 3 }),
});
const merges = fc.array(fc.tuple(ids, ids), { minLength: 1, maxLength: 6 });

it('merges and undos in any allowed order cancel out', async () => {
  const property = fc.asyncProperty(beginnings, merges, fc.boolean(), async ({ sets, joined }, pairs, newestFirst) => {
    const project = await MergeProject.open();
    await project.send(...IDS.map((id) => set(id, {})), ...sets.map(([id, values]) => set(id, values)));
    await project.send({ event: 'nothing', distinct_id: 'a' }, ...joined.map(([id, n]) => identify(id, `${id} ${n}`)));
    const all = [...IDS, ...joined.map(([id, n]) => `${id} ${n}`)];
    const state = async () =>
      Object.fromEntries(await Promise.all(all.map(async (id) => [id, await project.person(id)] as const)));
    const before = await state();
    await project.send(...pairs.map(([target, source]) => merge(target, source)));
    await undoAll(project, newestFirst);
    // A refused or empty merge still marks its person as identified, and no undo takes that back.
    const marks = (one: typeof before) =>
      Object.fromEntries(Object.entries(one).map(([id, { isIdentified: _, ...person }]) => [id, person]));
    expect(marks(await state())).toEqual(marks(before));
    if (isWithoutEvents) return;
    for (const [person, events] of Object.entries(await project.owners())) {
      for (const event of events) {
        const [, distinctId = ''] = /^(\S+(?: \d)?) /.exec(event) ?? [];
        expect([event, person]).toEqual([event, (await project.person(distinctId)).uuid]);
      }
    }
  });
  await fc.assert(property, { numRuns: 12, endOnFailure: true });
}, 60_000);

async function undoAll(project: MergeProject, newestFirst: boolean): Promise<void> {
  const standing = (): Promise<{ id: number }[]> =>
    server.rows(
      `select id from person_merges where project_id = ? and undone_at is null order by id ${newestFirst ? 'desc' : ''}`,
      project.project.projectId,
    );
  for (let left = await standing(); left.length > 0; left = await standing()) {
    let undone = 0;
    for (const { id } of left) {
      const { status } = await project.undo(id);
      if (status === 201) undone++;
      else expect(status).toBe(409);
    }
    expect(undone).toBeGreaterThan(0);
  }
}
