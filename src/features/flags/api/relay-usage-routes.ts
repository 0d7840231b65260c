/** `/flags/usage`: how often a relay has evaluated flags for this server. A report that is sent again is counted once. */
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { FlagSnapshots } from '../decide/flag-snapshots.ts';
import type { FlagUseCount } from '../store/flag-usage-store.ts';
import type { DefinitionsAccess } from './definitions-access.ts';

const Body = Type.Object({
  node: Type.String({ minLength: 1, maxLength: 100, description: 'The relay; another one after each start.' }),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  counts: Type.Array(
    Type.Object({
      flag_id: Type.Integer(),
      start: Type.Integer({ description: 'Of the minute, in ms since 1970.' }),
      source: Type.String({ maxLength: 100 }),
      value: Type.String({ maxLength: 400 }),
      count: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    }),
    { maxItems: 20_000 },
  ),
});

interface RelayUsageDeps {
  metadata: Pick<MetadataStore, 'transaction'>;
  flagSnapshots: Pick<FlagSnapshots, 'get'>;
  clock: Clock;
  accessDefinitions(request: FastifyRequest): Promise<DefinitionsAccess>;
}

export function relayUsageRoutes(app: FastifyInstance, deps: RelayUsageDeps): void {
  app.post('/flags/usage', {
    schema: DOCUMENT,
    onRequest: async (request) => {
      request.project = (await deps.accessDefinitions(request)).project;
    },
    handler: async (request) => {
      await store(deps, request.project?.id ?? 0, request.body as Static<typeof Body>);
      return { status: 1 };
    },
  });
}

/** Only of flags of the project, and of times that can be true. */
async function store(
  { metadata, flagSnapshots, clock }: RelayUsageDeps,
  projectId: number,
  { node, sequence, counts }: Static<typeof Body>,
): Promise<void> {
  const flags = new Set((await flagSnapshots.get(projectId)).flags.map(({ id }) => id));
  const now = clock.now();
  const accepted = new Map<string, FlagUseCount>();
  for (const { flag_id: flagId, start, source, value, count } of counts) {
    if (!flags.has(flagId) || start <= now - DAY_MS || start >= now + HOUR_MS) continue;
    const minute = start - (start % MINUTE_MS);
    const name = JSON.stringify([flagId, minute, source, value]);
    const before = accepted.get(name)?.count ?? 0;
    accepted.set(name, { projectId, flagId, start: minute, source, value, count: before + count });
  }
  await metadata.transaction(async ({ flagUsage }) => {
    const isNew = await flagUsage.begin(`relay ${projectId} ${node}`, sequence, now);
    if (isNew && accepted.size > 0) await flagUsage.add([...accepted.values()]);
  });
}

/** Between relays and servers, so it is not in the API document. */
const DOCUMENT = { hide: true, body: Body };
