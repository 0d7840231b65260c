/** PostHog's `hog_functions`, as far as they are declarative: webhooks of events. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import {
  createDestination,
  type DestinationChanges,
  deleteDestination,
  getDestination,
  updateDestination,
} from '../destinations.ts';
import { SENT_STATES, type SentState } from '../store/destination-store.ts';
import { testDestination } from '../test-destination.ts';
import type { DestinationApiDeps } from './deps.ts';
import {
  DestinationChangeSchema,
  DestinationCreateSchema,
  DestinationLogSchema,
  DestinationMetricsSchema,
  DestinationSchema,
  DestinationTestSchema,
  DestinationTotalsSchema,
} from './destination-schemas.ts';
import {
  presentDestinations,
  presentLogLine,
  presentMetrics,
  presentTotals,
  TEMPLATE_ID,
} from './present-destinations.ts';

const ALL = { url: '/api/projects/:project_id/hog_functions/', tag: 'hog_functions', scope: 'hog_function' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const CHANGE = { level: ADMIN } as const;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;

type Body = Static<typeof DestinationChangeSchema>;

/** Everything else that PostHog has is code, and is not run here. */
function requireWebhook({ type, template_id, hog }: Body): void {
  if ((type ?? 'destination') !== 'destination')
    throw invalid('type', 'Only the type "destination" is supported.', 'unsupported');
  if ((template_id ?? TEMPLATE_ID) !== TEMPLATE_ID)
    throw invalid('template_id', `Only the template "${TEMPLATE_ID}" is supported.`, 'unsupported');
  if ((hog ?? '') !== '') throw invalid('hog', 'Code is not run: use inputs of the webhook.', 'unsupported');
}

function readChanges(body: Body): DestinationChanges {
  requireWebhook(body);
  const { name, description, enabled, filters, inputs, masking, execution_order, roll_secret } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(filters === undefined ? {} : { filters: filters as Json }),
    ...(inputs === undefined ? {} : { inputs: inputs as Json }),
    ...(masking === undefined ? {} : { masking: masking as Json }),
    ...(execution_order === undefined ? {} : { executionOrder: execution_order }),
    ...(roll_secret === undefined ? {} : { rollSecret: roll_secret }),
  };
}

const idOf = (params: Readonly<Record<string, string>>): string => params['id'] ?? '';

export function destinationRoutes(app: FastifyInstance, deps: DestinationApiDeps): void {
  listAndCreate(app, deps);
  oneDestination(app, deps);
  tests(app, deps);
  logsAndMetrics(app, deps);
}

function listAndCreate(app: FastifyInstance, deps: DestinationApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Destinations of events, the newest first',
    query: PAGE_QUERY,
    response: pageSchema(DestinationSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const { count, items } = await metadata.destinations.list(project.id, page);
      const shown = await presentDestinations(metadata, items, { caller, project });
      return envelope(url, page, { count, items: shown }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    ...CHANGE,
    method: 'POST',
    summary: 'Send events to a webhook as they are stored',
    body: DestinationCreateSchema,
    status: 201,
    response: DestinationSchema,
    handler: async ({ caller, project, body }) => {
      const { destination, secret } = await createDestination(deps, caller, project, readChanges(body));
      return (await presentDestinations(metadata, [destination], { caller, project, secret }))[0];
    },
  });
}

function oneDestination(app: FastifyInstance, deps: DestinationApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One destination',
    response: DestinationSchema,
    handler: async ({ caller, project, params }) => {
      const destination = await getDestination(metadata, project, idOf(params));
      return (await presentDestinations(metadata, [destination], { caller, project }))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...CHANGE,
    method: 'PATCH',
    summary: 'Change a destination, or resume one that is paused; `deleted: true` deletes it',
    body: DestinationChangeSchema,
    response: DestinationSchema,
    handler: async ({ caller, project, params, body }) => {
      if (body.deleted === true) {
        const before = await getDestination(metadata, project, idOf(params));
        await deleteDestination(deps, caller, project, before.id);
        const [shown] = await presentDestinations(metadata, [before], { caller, project });
        return { ...shown, deleted: true };
      }
      const { destination, secret } = await updateDestination(deps, caller, project, idOf(params), readChanges(body));
      return (await presentDestinations(metadata, [destination], { caller, project, secret }))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...CHANGE,
    method: 'DELETE',
    summary: 'Delete a destination, and what waits for it',
    status: 204,
    handler: ({ caller, project, params }) => deleteDestination(deps, caller, project, idOf(params)),
  });
}

function tests(app: FastifyInstance, deps: DestinationApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    ...CHANGE,
    url: `${ONE.url}test/`,
    method: 'POST',
    summary: 'Send an invented event, marked as a test, at once',
    response: DestinationTestSchema,
    handler: async ({ project, params }) => {
      const destination = await getDestination(deps.metadata, project, idOf(params));
      const sendDeps = { ...deps, isPrivateAllowed: deps.config.webhookAllowPrivate };
      return testDestination(sendDeps, project, destination);
    },
  });
}

function logsAndMetrics(app: FastifyInstance, deps: DestinationApiDeps): void {
  const { metadata, clock } = deps;
  const countsOf = async (id: string, query: Parameters<typeof queryText>[0]) => {
    const given = Number(queryText(query, 'days') ?? DEFAULT_DAYS);
    const days = Number.isInteger(given) && given >= 1 && given <= MAX_DAYS ? given : DEFAULT_DAYS;
    const until = clock.now();
    const from = until - days * DAY_MS;
    return { from, until, counts: await metadata.destinations.listCounts(id, from) };
  };
  const DAYS = { days: `Of the last days: ${DEFAULT_DAYS} by default, at most ${MAX_DAYS}.` };
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}logs/`,
    method: 'GET',
    summary: 'What was sent, the newest first; kept for 7 days',
    query: { ...PAGE_QUERY, state: 'Only these, separated by commas: sent, failed, skipped, retried.' },
    response: pageSchema(DestinationLogSchema),
    handler: async ({ project, params, query, url }) => {
      const page = readPage(query);
      const { id } = await getDestination(metadata, project, idOf(params));
      const states = readStates(queryText(query, 'state'));
      return envelope(url, page, await metadata.destinations.listLog(id, states, page), presentLogLine);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}metrics/`,
    method: 'GET',
    summary: 'How many events were sent in each hour, by what became of them',
    query: DAYS,
    response: DestinationMetricsSchema,
    handler: async ({ project, params, query }) => {
      const { id } = await getDestination(metadata, project, idOf(params));
      const { counts, from, until } = await countsOf(id, query);
      return presentMetrics(counts, from, until, SENT_STATES);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}metrics/totals/`,
    method: 'GET',
    summary: 'How many events were sent, by what became of them',
    query: DAYS,
    response: DestinationTotalsSchema,
    handler: async ({ project, params, query }) => {
      const { id } = await getDestination(metadata, project, idOf(params));
      return presentTotals((await countsOf(id, query)).counts, SENT_STATES);
    },
  });
}

/** Null: all. */
function readStates(text: string | undefined): SentState[] | null {
  if (text === undefined || text === '') return null;
  const given = text.split(',');
  const known = SENT_STATES.filter((state) => given.includes(state));
  if (known.length !== new Set(given).size)
    throw invalid('state', `state is one or more of ${SENT_STATES.join(', ')}, separated by commas.`);
  return known;
}
