import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { iso, isoOrNull, PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type AlertChanges, createAlert, deleteAlert, getAlert, testAlert, updateAlert } from '../alerts.ts';
import { backtestAlert } from '../backtest-alert.ts';
import { type AlertDefinition, needsInsight, readDefinition } from '../rules/alert-definition.ts';
import { presentDefinition, presentThreshold } from '../rules/present-definition.ts';
import {
  AlertChangeSchema,
  AlertCheckSchema,
  AlertCreateSchema,
  AlertSchema,
  BacktestRequestSchema,
  BacktestSchema,
  TestResultSchema,
} from './alert-schemas.ts';
import type { AlertApiDeps } from './deps.ts';
import { presentAlerts, presentCheck } from './present-alerts.ts';

const ALL = { url: '/api/projects/:project_id/alerts/', tag: 'alerts', scope: 'alert' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['insights'] } as const;
const DEFAULT_WEEKS = 4;

export function alertRoutes(app: FastifyInstance, deps: AlertApiDeps): void {
  listAndCreate(app, deps);
  oneAlert(app, deps);
  backtests(app, deps);
  checksAndTests(app, deps);
}

type Body = Static<typeof AlertChangeSchema>;
type DefinitionBody = Pick<
  Body,
  'condition' | 'threshold' | 'config' | 'calculation_interval' | 'skip_weekend' | 'hysteresis'
>;

/** Fields that are not sent stay as they are. */
function definitionOf(body: DefinitionBody, before?: AlertDefinition): AlertDefinition {
  const { condition, threshold, config, hysteresis, calculation_interval, skip_weekend } = body;
  const known = before && presentDefinition(before);
  return readDefinition({
    condition: (condition ?? known?.condition) as Json | undefined,
    threshold: (threshold ?? known?.threshold ?? undefined) as Json | undefined,
    config: (config ?? known?.config) as Json | undefined,
    hysteresis: (hysteresis ?? known?.hysteresis) as Json | undefined,
    calculation_interval: calculation_interval ?? known?.calculation_interval,
    skip_weekend: skip_weekend ?? known?.skip_weekend,
  });
}

function readChanges(body: Body): Omit<AlertChanges, 'definition'> {
  const { name, insight, enabled, subscribed_users, targets, snoozed_until } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(insight === undefined ? {} : { insightId: insight }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(subscribed_users === undefined ? {} : { subscribedUsers: [...new Set(subscribed_users)] }),
    ...(targets === undefined
      ? {}
      : {
          targets: targets.map(({ id, type, url, roll_secret }) => ({
            id: id ?? null,
            type,
            url: url ?? null,
            rollSecret: roll_secret ?? false,
          })),
        }),
    ...(snoozed_until === undefined
      ? {}
      : { snoozedUntil: snoozed_until === null ? null : readTimeField('snoozed_until', snoozed_until) }),
  };
}

const DEFINITION_FIELDS = ['condition', 'threshold', 'config', 'calculation_interval', 'skip_weekend', 'hysteresis'];
const changesDefinition = (body: object): boolean => DEFINITION_FIELDS.some((name) => name in body);

function listAndCreate(app: FastifyInstance, deps: AlertApiDeps): void {
  const { metadata, clock } = deps;
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Alerts, the newest first',
    query: { ...PAGE_QUERY, insight: 'Only those on the insight with this id.' },
    response: pageSchema(AlertSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const insight = Number(queryText(query, 'insight'));
      const insightId = Number.isSafeInteger(insight) && insight > 0 ? insight : undefined;
      const { count, items } = await metadata.alerts.list(project.id, insightId, page);
      const shown = await presentAlerts(metadata, items, { caller, project, now: clock.now() });
      return envelope(url, page, { count, items: shown }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    ...EDITS,
    method: 'POST',
    summary: 'Be told when a number is not what it should be',
    body: AlertCreateSchema,
    status: 201,
    response: AlertSchema,
    handler: async ({ caller, project, body }) => {
      const changes = { ...readChanges(body), name: body.name, definition: definitionOf(body) };
      const { alert, secrets } = await createAlert(deps, caller, project, changes);
      return (await presentAlerts(metadata, [alert], { caller, project, now: clock.now(), secrets }))[0];
    },
  });
}

const idOf = (params: Readonly<Record<string, string>>): string => params['id'] ?? '';

function oneAlert(app: FastifyInstance, deps: AlertApiDeps): void {
  const { metadata, clock } = deps;
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One alert, with its last checks',
    response: AlertSchema,
    handler: async ({ caller, project, params }) => {
      const alert = await getAlert(metadata, project, idOf(params));
      return (await presentAlerts(metadata, [alert], { caller, project, now: clock.now() }))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'PATCH',
    summary: 'Change an alert, or snooze it; another condition starts anew',
    body: AlertChangeSchema,
    response: AlertSchema,
    handler: async ({ caller, project, params, body }) => {
      const before = await getAlert(metadata, project, idOf(params));
      const definition = changesDefinition(body) ? { definition: definitionOf(body, before.definition) } : {};
      const changes = { ...readChanges(body), ...definition };
      const { alert, secrets } = await updateAlert(deps, caller, project, before.id, changes);
      return (await presentAlerts(metadata, [alert], { caller, project, now: clock.now(), secrets }))[0];
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'DELETE',
    summary: 'Delete an alert; what was delivered stays in the log',
    status: 204,
    handler: ({ caller, project, params }) => deleteAlert(deps, caller, project, idOf(params)),
  });
}

async function questionOf({ metadata }: AlertApiDeps, project: Project, definition: AlertDefinition, body: Body) {
  if (!needsInsight(definition)) return { filters: {}, query: null };
  const insight = body.insight ? await metadata.insights.get(project.id, body.insight) : null;
  if (insight && !insight.deleted) return { filters: insight.filters, query: insight.query };
  throw invalid('insight', 'insight is the id of an insight of this project.', 'does_not_exist');
}

function backtests(app: FastifyInstance, deps: AlertApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    url: `${ALL.url}backtest/`,
    method: 'POST',
    readOnly: true,
    summary: 'When such an alert would have fired in the last weeks',
    body: BacktestRequestSchema,
    response: BacktestSchema,
    handler: async ({ project, body, reply }) => {
      const definition = definitionOf(body);
      const question = await questionOf(deps, project, definition, body);
      const result = await backtestAlert(deps, {
        project,
        definition,
        ...question,
        weeks: body.weeks ?? DEFAULT_WEEKS,
        now: deps.clock.now(),
        signal: callerSignal(reply),
      });
      return {
        slots: result.slots.length,
        would_fire: result.wouldFire.map(({ from, to, peak, bound, label }) => ({
          from: iso(from),
          to: isoOrNull(to),
          peak,
          bound,
          breakdown_value: label,
        })),
        starts: result.slots.map(({ start }) => iso(start)),
        values: result.values,
        bounds: {
          lower: result.bounds.map((one) => one?.lower ?? null),
          upper: result.bounds.map((one) => one?.upper ?? null),
        },
        noise: `${Math.round(result.perWeek * 10) / 10} a week`,
        per_week: result.perWeek,
        suggestion: result.suggestion && { configuration: presentThreshold(result.suggestion) },
      };
    },
  });
}

function checksAndTests(app: FastifyInstance, deps: AlertApiDeps): void {
  const { metadata } = deps;
  projectRoute(app, deps, {
    ...ONE,
    url: `${ONE.url}checks/`,
    method: 'GET',
    summary: 'What each check of an alert found, the newest first; kept for 90 days',
    query: PAGE_QUERY,
    response: pageSchema(AlertCheckSchema),
    handler: async ({ project, params, query, url }) => {
      const page = readPage(query);
      const { id } = await getAlert(metadata, project, idOf(params));
      return envelope(url, page, await metadata.alerts.listChecks(id, page), presentCheck);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    url: `${ONE.url}test/`,
    method: 'POST',
    summary: 'Send one message, marked as a test, to everybody whom the alert would tell',
    status: 201,
    response: TestResultSchema,
    handler: async ({ project, params }) => ({ deliveries: await testAlert(deps, project, idOf(params)) }),
  });
}
