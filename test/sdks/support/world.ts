/** A project with flags that an SDK is let loose on, and what the private API says of it afterwards. */
import type { JsonObject } from '../../../src/core/json/json.ts';
import { capture } from '../../support/capture.ts';
import { clientFor } from '../../support/client.ts';
import type { TestProject, TestServer } from '../../support/server.ts';
import { type Relay, startRelay } from './relay.ts';

interface SeenEvent {
  id: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: JsonObject;
  elements_chain: string;
  person: { distinct_ids: string[]; properties: JsonObject; is_identified: boolean } | null;
}

interface SeenPerson {
  uuid: string;
  distinct_ids: string[];
  properties: JsonObject;
  is_identified: boolean;
}

export interface World extends TestProject {
  relay: Relay;
  /** Everything that is stored, oldest first. */
  events(): Promise<SeenEvent[]>;
  names(): Promise<string[]>;
  /** Waits until an event of each name is there. */
  waitForEvents(...names: string[]): Promise<SeenEvent[]>;
  person(distinctId: string): Promise<SeenPerson | undefined>;
  group(key: string): Promise<JsonObject | undefined>;
  close(): Promise<void>;
}

/** Values of all flags for somebody of whom nothing is known. */
export const DEFAULT_FLAGS = { on: true, off: false, colour: 'blue', team: false, acme: false };
export const PAYLOADS = { on: { limit: 5 }, colour: ['sky', 1] };

const FLAGS: Readonly<Record<string, JsonObject>> = {
  on: { groups: [{ rollout_percentage: 100 }], payloads: { true: '{"limit": 5}' } },
  off: { groups: [{ rollout_percentage: 0 }] },
  colour: {
    groups: [{ rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
    payloads: { blue: '["sky", 1]' },
  },
  team: { groups: [{ properties: [{ key: 'plan', value: 'team', operator: 'exact', type: 'person' }] }] },
  acme: {
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'name', value: 'Acme', operator: 'exact', type: 'group', group_type_index: 0 }] }],
  },
};

/** The kind of groups is known before the first flag asks for it. */
const FIRST_GROUP = {
  event: '$groupidentify',
  distinct_id: 'seed',
  properties: { $group_type: 'company', $group_key: 'seed', $group_set: {} },
};

export async function makeWorld(server: TestServer, { prefix = '' } = {}): Promise<World> {
  const project = await server.createProject();
  await capture(server, project.projectKey, [FIRST_GROUP]);
  const { get, post } = clientFor({ url: server.url, personalKey: project.personalKey });
  const path = `/api/projects/${project.projectId}`;
  for (const [key, filters] of Object.entries(FLAGS)) {
    const { status, body } = await post(`${path}/feature_flags/`, { body: { key, name: key, filters } });
    if (status !== 201) throw new Error(`No flag: ${JSON.stringify(body)}`);
  }
  const relay = await startRelay(server.url, { prefix });

  const events = async (): Promise<SeenEvent[]> => {
    await server.drain();
    const { body } = await get(`${path}/events/?limit=1000&orderBy=["timestamp"]&before=2100-01-01`);
    return (body.results as SeenEvent[]).filter(({ distinct_id }) => distinct_id !== 'seed');
  };
  const names = async (): Promise<string[]> => (await events()).map(({ event }) => event);
  return {
    ...project,
    relay,
    events,
    names,
    async waitForEvents(...wanted) {
      const end = performance.now() + TIMEOUT_MS;
      for (;;) {
        const stored = await events();
        const missing = wanted.filter((name) => !stored.some(({ event }) => event === name));
        if (missing.length === 0) return stored;
        if (performance.now() > end) {
          throw new Error(
            `Never stored: ${missing.join(', ')}; there are ${stored.map(({ event }) => event).join(', ')}`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async person(distinctId) {
      await server.drain();
      const { body } = await get(`${path}/persons/?distinct_id=${encodeURIComponent(distinctId)}`);
      return (body.results as SeenPerson[])[0];
    },
    async group(key) {
      await server.drain();
      const { status, body } = await get(`${path}/groups/find?group_type_index=0&group_key=${encodeURIComponent(key)}`);
      return status === 200 ? (body.group_properties as JsonObject) : undefined;
    },
    close: () => relay.close(),
  };
}

/** Browsers gather events for three seconds before they send them, and the machine may have other things to do. */
const TIMEOUT_MS = 20_000;

/** The one event of that name. */
export function onlyEvent(events: readonly SeenEvent[], name: string): SeenEvent {
  const found = events.filter(({ event }) => event === name);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} events are called ${name}`);
  return found[0];
}
