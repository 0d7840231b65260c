import type { FastifyInstance } from 'fastify';
import { isAdmin } from '../../../access/callers.ts';
import { Failure, invalid, notFound } from '../../../core/errors.ts';
import { parseMoment } from '../../../core/time/parse-date.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, type Query, queryChoice, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { DELIVERY_KINDS, DELIVERY_STATES } from '../rules/delivery-kinds.ts';
import { DeliverySchema, presentDelivery } from './delivery-schemas.ts';
import type { DeliveryApiDeps } from './deps.ts';

const ALL = { url: '/api/projects/:project_id/deliveries/', tag: 'deliveries', scope: 'alert' } as const;

function readQuery(query: Query, now: number) {
  const after = queryText(query, 'after');
  const moment = after ? parseMoment(after, now) : undefined;
  if (after && moment === undefined)
    throw invalid('after', 'after is a date such as 2026-01-31, or how long ago: 5d, 2h.');
  const kind = queryChoice(query, 'kind', DELIVERY_KINDS);
  return {
    kinds: kind === undefined ? [] : [kind],
    state: queryChoice(query, 'state', DELIVERY_STATES),
    targetHash: queryText(query, 'target') || undefined,
    subjectId: queryText(query, 'subject_id') || undefined,
    after: moment,
  };
}

export function deliveryRoutes(app: FastifyInstance, deps: DeliveryApiDeps): void {
  const { metadata, clock } = deps;
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Messages of the last 30 days, the newest first, with every attempt to deliver them',
    query: {
      ...PAGE_QUERY,
      kind: '`alert`, `test`, `notice`, `experiment`, `digest` or `flag`.',
      state: '`waiting`, `sending`, `sent`, `failed`, `unknown` or `skipped`.',
      target: 'The `target_id` of a delivery: only those to the same target.',
      subject_id: 'Only those about the alert or digest with this id.',
      after: 'Only those made at this time or later: ISO 8601, or how long ago: 7d.',
    },
    response: pageSchema(DeliverySchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const found = await metadata.deliveries.list(project.id, readQuery(query, clock.now()), page);
      const isFull = isAdmin(caller, project.organizationId);
      return envelope(url, page, found, (delivery) => presentDelivery(delivery, isFull));
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    url: `${ALL.url}:id/retry/`,
    method: 'POST',
    edits: ['insights'],
    summary: 'Send a message again that failed, was skipped, or of which it is unknown whether it arrived',
    response: DeliverySchema,
    handler: async ({ caller, project, params }) => {
      const id = idFromPath(params);
      const delivery = await metadata.transaction(async (store) => {
        const found = await store.deliveries.get(project.id, id);
        if (!found) throw notFound();
        if (!['failed', 'skipped', 'unknown'].includes(found.state))
          throw new Failure('conflict', `The message is ${found.state}: there is nothing to repeat.`);
        const again = { state: 'waiting', attempt: 0, attempts: found.attempts, dueAt: clock.now() } as const;
        await store.deliveries.finish(id, found.attempt, again);
        await store.deliveries.resumeTarget(project.id, found.targetHash);
        return { ...found, ...again };
      });
      return presentDelivery(delivery, isAdmin(caller, project.organizationId));
    },
  });
}
