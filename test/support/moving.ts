/** A stopped embedded installation with some data of every kind, for tests that move it to a cluster. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serializeRequestContext } from '../../src/ingest/accept/request-context.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { capture } from './capture.ts';
import { call, clientFor } from './client.ts';
import { makeFlag } from './flags.ts';
import { openFolder, processPoisoned } from './poison.ts';
import { START, startServer, type TestServer } from './server.ts';

const ADMIN = { email: 'ada@example.org', password: 'correct horse' };
export const CONFIG = { initAdminEmail: ADMIN.email, initAdminPassword: ADMIN.password };

const LONELY = '\ud800';

/** Times before 1970 and in the far future, as wrong clocks give them, and texts that are hard to store. */
const EVENTS = [
  { event: 'visit', distinct_id: 'anonymous-ada', properties: { $browser: 'Firefox', $session_id: 's1' } },
  { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anonymous-ada', $set: { plan: 'pro' } } },
  { event: 'visit', distinct_id: 'ada', properties: { $current_url: 'https://example.org/?q=ä\u001f|' } },
  { event: 'visit', distinct_id: 'bo', properties: { $set: { email: 'bo@example.org' }, 'a\u0000b': 'x\u0000y' } },
  {
    event: `odd ${LONELY} "quotes" \\ 'n' 😀`,
    distinct_id: `id ${LONELY}`,
    properties: { half: LONELY, nothing: null },
  },
  { event: 'wide', distinct_id: 'cy', properties: { n: 123456789012345680000, text: '12345678901234567890' } },
  { event: 'visit', distinct_id: 'cy', timestamp: '1969-12-31T23:59:59.999Z' },
  { event: 'visit', distinct_id: 'cy', timestamp: '2025-12-31T23:59:59.999Z' },
  {
    event: 'visit',
    distinct_id: 'cy',
    timestamp: '2026-01-01T00:00:00.000Z',
    properties: { $groups: { company: 'acme' } },
  },
  {
    event: '$groupidentify',
    distinct_id: 'cy',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'pro', odd: `${LONELY}\u0000` } },
  },
  { event: '$create_alias', distinct_id: 'ada', properties: { alias: 'ada-on-the-phone' } },
  { event: 'large', distinct_id: 'cy', properties: { text: 'aé€😀'.repeat(50_000), $current_url: 'x'.repeat(5000) } },
];

const PRO = { properties: [{ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }], rollout_percentage: 100 };

async function fill(server: TestServer): Promise<void> {
  const client = clientFor(server);
  const projects = `/api/projects/${server.projectId}/`;
  const role = await client.post(`/api/organizations/${server.organizationId}/roles/`, { body: { name: 'Editors' } });
  await makeFlag(client, role.body.id);
  await client.post(`${projects}feature_flags/`, { body: { key: 'pro-only', filters: { groups: [PRO] } } });
  const half = { key: 'half', ensure_experience_continuity: true, filters: { groups: [{ rollout_percentage: 50 }] } };
  await client.post(`${projects}feature_flags/`, { body: half });
  // Both persons exist before they are merged.
  await capture(server, server.projectKey, [...EVENTS.slice(0, 1), { event: 'visit', distinct_id: 'ada' }]);
  await capture(server, server.projectKey, EVENTS.slice(1));
  const groups = [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }];
  await client.post(`${projects}cohorts/`, { body: { name: `Pro ${LONELY}`, groups } });
  await server.settleCohorts();
  await client.post(`${projects}insights/`, { body: { name: 'Visits', filters: { events: [{ id: 'visit' }] } } });
  await client.post(`${projects}dashboards/`, { body: { name: 'Board' } });
  const other = await server.createProject({ foreign: true });
  await capture(server, other.projectKey, [{ event: 'elsewhere', distinct_id: 'ada' }]);
  // Stores a continuity override for the flag 'half', and the usage of queries.
  await decisionsOf(server);
}

/** Made with the real server and the real stores, then left alone. `waiting` requests are accepted and not processed. */
export async function makeInstallation(waiting = 5): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-move-'));
  const server = await startServer({ dataDir, config: CONFIG });
  await fill(server);
  await server.close();
  const receivedAt = Date.parse(START);
  await processPoisoned(dataDir, 1, { event: 'poison', distinct_id: 'dan', properties: { a: '\u0000' } }, receivedAt);
  const { log, close } = await openFolder(dataDir);
  const context = serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: false });
  for (let n = 0; n < waiting; n++) {
    // Several persons in one request: it is split by partition.
    const ids = ['ada', 'bo', `new-${n}`];
    const batch = ids.map((distinct_id) => ({ event: 'late', uuid: randomIds.uuid(), distinct_id, properties: { n } }));
    const payload = Buffer.from(JSON.stringify({ batch }));
    await log.append({ projectId: 1, receivedAt: receivedAt + n, events: 3, context, seed: randomIds.seed(), payload });
  }
  await close();
  return dataDir;
}

/** Every file with its content and modification time. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => {
      const path = join(folder, name);
      const { mtimeMs, size } = statSync(path);
      return `${name} ${size} ${mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    });

async function decisionsOf(server: TestServer) {
  const ids = ['ada', 'bo', 'cy', 'anonymous-ada', 'nobody'];
  const answers = [];
  for (const distinct_id of ids) {
    const body = { token: server.projectKey, distinct_id, $anon_distinct_id: `${distinct_id}-before` };
    answers.push((await call(server.url, 'POST', '/decide/?v=3', { key: null, body })).body);
  }
  return answers.map(({ featureFlags, featureFlagPayloads }) => ({ featureFlags, featureFlagPayloads }));
}

/** What an installation returns through the API. */
export async function answersOf(server: TestServer) {
  const { get, post } = clientFor(server);
  const projects = `/api/projects/${server.projectId}/`;
  const trend = async (events: string) =>
    (await get(`${projects}insights/trend/?events=${encodeURIComponent(events)}&date_from=-30d&interval=day`)).body
      .result;
  // Those who come out of the log get their numbers in the order in which its partitions are processed.
  const persons = (await get(`${projects}persons/`)).body.results.map((person: { id: number; name: string }) =>
    person.name.startsWith('new-') ? { ...person, id: null } : person,
  );
  const signedIn = await post('/api/login/', { key: null, body: ADMIN });
  return {
    signedIn: signedIn.status,
    persons,
    pro: (
      await get(
        `${projects}persons/?properties=${encodeURIComponent('[{"key":"plan","value":"pro","type":"person"}]')}`,
      )
    ).body.results,
    visits: await trend('[{"id":"visit","math":"dau"}]'),
    late: await trend('[{"id":"late"}]'),
    flags: (await get(`${projects}feature_flags/`)).body.results,
    cohorts: (await get(`${projects}cohorts/`)).body.results,
    deadLetters: (await get(`${projects}dead_letters/`)).body,
    groups: (await get(`${projects}groups/?group_type_index=0`)).body.results,
    decisions: await decisionsOf(server),
    counters: await server.counters(),
  };
}
