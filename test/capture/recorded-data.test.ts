/** What is recorded beside the events: merges, property history, groups and definitions. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendJson } from '../support/send.ts';
import { isEmbedded, isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;

beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  project = await server.createProject();
});
afterAll(() => server.close());

async function capture(...batch: object[]): Promise<void> {
  const { status } = await sendJson(server.url, '/batch/', { api_key: project.projectKey, batch });
  expect(status).toBe(200);
  await server.drain();
}

const identify = (distinctId: string, anonymous: string, $set: object = {}): object => ({
  event: '$identify',
  distinct_id: distinctId,
  properties: { $anon_distinct_id: anonymous },
  $set,
});

const personOf = async (distinctId: string) => {
  const [row] = await server.rows(
    `select p.* from persons p join person_distinct_ids d on d.person_id = p.id
    where d.project_id = ? and d.distinct_id = ?`,
    project.projectId,
    distinctId,
  );
  return row;
};

const merges = () => server.rows('select * from person_merges where project_id = ? order by id', project.projectId);

describe('a visitor who signs up on one device and comes back on another', () => {
  beforeEach(async () => {
    await capture(
      { event: '$pageview', distinct_id: 'laptop', $set: { plan: 'none', theme: 'dark' } },
      { event: '$pageview', distinct_id: 'laptop' },
    );
    await capture(identify('ada', 'laptop', { plan: 'free' }));
    await capture({ event: '$pageview', distinct_id: 'phone', $set: { theme: 'light', phone: true } });
    await capture(identify('ada', 'phone', { plan: 'pro' }));
  });

  it('is one person, with all events', async () => {
    const { uuid, is_identified, properties } = await personOf('ada');
    expect([(await personOf('laptop')).uuid, (await personOf('phone')).uuid]).toEqual([uuid, uuid]);
    expect(is_identified).toBe(1);
    // The one who stays keeps what it has, and gets what it lacks.
    expect(JSON.parse(properties)).toMatchObject({ plan: 'pro', theme: 'dark', phone: true });
    if (isWithoutEvents) return;
    const found = await server.query(
      'select person_id, count(*) as n from events where project_id = $1 group by person_id',
      [project.projectId],
    );
    expect(found).toEqual([{ person_id: uuid, n: 5 }]);
  });

  it('is in the list of merges with both sides as they were', async () => {
    const rows = await merges();
    // The laptop's person took 'ada' in, since nobody had that id yet; only the phone's was merged away.
    expect(rows).toHaveLength(1);
    const [merge] = rows;
    expect(merge).toMatchObject({ kind: 'identify', target_uuid: (await personOf('ada')).uuid });
    expect(JSON.parse(merge.moved_ids)).toEqual(['phone']);
    expect(JSON.parse(merge.source)).toMatchObject({ properties: { theme: 'light', phone: true } });
    expect(JSON.parse(merge.target)).toMatchObject({ properties: { plan: 'free', theme: 'dark' } });
    // Ids that new persons must not get: the one merged away, and the one that 'ada' would have had alone.
    const retired = await server.rows('select uuid from retired_person_uuids where project_id = ?', project.projectId);
    expect(retired).toHaveLength(2);
    expect(retired).toContainEqual({ uuid: merge.source_uuid });
  });

  it('has a history of what changed, and of nothing else', async () => {
    const rows = await server.rows(
      `select name, before_value, after_value from person_property_history
      where project_id = ? and person_uuid = ? and name = 'plan' order by id`,
      project.projectId,
      (await personOf('ada')).uuid,
    );
    expect(rows.map((row) => [row.before_value, row.after_value])).toEqual([
      [null, '"none"'],
      ['"none"', '"free"'],
      ['"free"', '"pro"'],
    ]);
  });

  it('writes no history when nothing changes', async () => {
    const written = () => server.rows('select id from person_property_history where project_id = ?', project.projectId);
    const before = await written();
    expect(before).not.toEqual([]);
    await capture({ event: '$set', distinct_id: 'ada', $set: { plan: 'pro' } }, { event: 'x', distinct_id: 'phone' });
    expect(await written()).toEqual(before);
  });
});

it('refuses to merge two identified persons, with a warning', async () => {
  await capture(identify('ada', 'a1'), identify('bob', 'b1'));
  await capture(identify('ada', 'bob'));
  expect((await personOf('ada')).uuid).not.toBe((await personOf('bob')).uuid);
  expect(await merges()).toEqual([]);
  const warnings = await server.rows('select type from ingestion_warnings where project_id = ?', project.projectId);
  expect(warnings).toEqual([{ type: 'cannot_merge_already_identified' }]);
  await capture({ event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'bob' } });
  expect((await personOf('ada')).uuid).toBe((await personOf('bob')).uuid);
  expect(JSON.parse((await merges())[0].moved_ids).sort()).toEqual(['b1', 'bob']);
});

it('follows a chain of merges within one request', async () => {
  await capture(
    ...['a', 'b', 'c', 'd'].map((id) => ({ event: 'seen', distinct_id: id })),
    { event: '$create_alias', distinct_id: 'b', properties: { alias: 'a' } },
    { event: '$merge_dangerously', distinct_id: 'c', properties: { alias: 'b' } },
    { event: '$merge_dangerously', distinct_id: 'd', properties: { alias: 'c' } },
  );
  const { uuid } = await personOf('d');
  for (const id of ['a', 'b', 'c']) expect([id, (await personOf(id)).uuid]).toEqual([id, uuid]);
  if (isEmbedded)
    expect((await merges()).map((merge) => JSON.parse(merge.moved_ids).sort())).toEqual([
      ['a'],
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
  if (isWithoutEvents) return;
  const owners = await server.query('select distinct person_id from events where project_id = $1', [project.projectId]);
  expect(owners).toEqual([{ person_id: uuid }]);
});

describe('groups', () => {
  it('are numbered by first use, five at most, and described step by step', async () => {
    const types = ['company', 'team', 'region', 'plan', 'fleet', 'sixth'];
    await capture(...types.map((type) => ({ event: 'x', distinct_id: 'd', properties: { $groups: { [type]: 'k' } } })));
    const named = await server.rows(
      'select name from group_types where project_id = ? order by type_index',
      project.projectId,
    );
    expect(named.map(({ name }) => name)).toEqual(types.slice(0, 5));
    const describeGroup = (set: object): object => ({
      event: '$groupidentify',
      distinct_id: '$company_k',
      properties: { $group_type: 'company', $group_key: 'k', $group_set: set },
    });
    await capture(describeGroup({ seats: 1, city: 'Riga' }));
    await capture(describeGroup({ seats: 2 }), describeGroup({ seats: 2 }));
    const [group] = await server.rows('select * from groups where project_id = ?', project.projectId);
    expect(JSON.parse(group.properties)).toEqual({ seats: 2, city: 'Riga' });
    expect([group.type_index, group.group_key, group.version]).toEqual([0, 'k', 2]);
  });
});

describe('definitions', () => {
  it('appear with the first event, and keep the first type', async () => {
    await capture({ event: 'bought', distinct_id: 'd', properties: { amount: 12, note: null, utm_source: 5 } });
    server.setNow('2026-01-15T13:00:00.000Z');
    await capture({
      event: 'bought',
      distinct_id: 'd',
      properties: { amount: 'a lot', note: 'true' },
      $set: { vip: true },
    });
    const [definition] = await server.rows('select * from event_definitions where project_id = ?', project.projectId);
    expect(definition.name).toBe('bought');
    expect(definition.last_seen_at).toBe(Date.parse('2026-01-15T13:00:00.000Z'));
    const types = await server.rows(
      `select kind, name, property_type from property_definitions
      where project_id = ? and name in ('amount', 'note', 'utm_source', 'vip', '$set') order by name, kind`,
      project.projectId,
    );
    expect(types).toEqual([
      { kind: 'event', name: 'amount', property_type: 'Numeric' },
      { kind: 'event', name: 'note', property_type: 'Boolean' },
      { kind: 'event', name: 'utm_source', property_type: 'String' },
      // Campaign properties are set on the person automatically.
      { kind: 'person', name: 'utm_source', property_type: 'String' },
      { kind: 'person', name: 'vip', property_type: 'Boolean' },
    ]);
    const pairs = await server.rows(
      `select property from event_properties where project_id = ? and event = 'bought'`,
      project.projectId,
    );
    expect(pairs.map(({ property }) => property)).toEqual(expect.arrayContaining(['amount', 'note', 'utm_source']));
    const [{ ingested_event }] = await server.rows(
      'select ingested_event from projects where id = ?',
      project.projectId,
    );
    expect(ingested_event).toBe(1);
  });
});
