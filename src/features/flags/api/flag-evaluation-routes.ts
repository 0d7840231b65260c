/** The values of flags for a user, with reasons. */
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { decide } from '../decide/decide.ts';
import { type DecideRequest, requestFor } from '../decide/decide-request.ts';
import { describeReason } from '../rules/flag-evaluation.ts';
import type { FlagRouteDeps } from './deps.ts';
import { EvaluationReasonsSchema, MyFlagsSchema } from './flag-evaluation-schemas.ts';
import { presentFlags } from './present-flags.ts';

const tag = 'feature flags';
const legacy = 'feature_flag';
const all = '/api/projects/:project_id/feature_flags/';
const groups = 'Groups of the user, as JSON: `{"company": "acme"}`.';

export function flagEvaluationRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}evaluation_reasons/`,
    legacy,
    summary: 'The value of each flag for a user, with the reason',
    tag,
    scope: 'feature_flag',
    query: { distinct_id: 'Whose flags.', groups },
    response: EvaluationReasonsSchema,
    handler: async ({ project, query }) => {
      const distinctId = queryText(query, 'distinct_id');
      if (distinctId === undefined || distinctId === '') throw invalid(undefined, 'distinct_id is required');
      return evaluationReasons(deps, project.id, requestFrom(query, distinctId));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${all}my_flags/`,
    legacy,
    summary: 'Active flags and their values for the caller',
    tag,
    scope: 'feature_flag',
    query: { groups },
    response: MyFlagsSchema,
    handler: async ({ caller, project, query }) => {
      const { evaluations, snapshot } = await decide(
        deps.decide,
        project.id,
        requestFrom(query, caller.user.distinctId),
      );
      const values = new Map(evaluations.map(({ id, value }) => [id, value]));
      const active = snapshot.flags.filter((flag) => flag.active);
      const shown = await presentFlags(deps, caller, project, active);
      return shown.map((flag) => ({ feature_flag: flag, value: values.get(flag.id) ?? false }));
    },
  });
}

async function evaluationReasons(deps: FlagRouteDeps, projectId: number, request: DecideRequest) {
  const { evaluations, snapshot } = await decide(deps.decide, projectId, request);
  const evaluated = evaluations.map(({ key, value, reason, conditionIndex, failure }) => {
    const description = failure ?? describeReason(reason, conditionIndex);
    return [key, { value, evaluation: { reason, condition_index: conditionIndex, description } }];
  });
  const disabled = snapshot.flags
    .filter((flag) => !flag.active)
    .map(({ key }) => [
      key,
      {
        value: false,
        evaluation: { reason: 'disabled', condition_index: null, description: 'Feature flag is disabled' },
      },
    ]);
  return Object.fromEntries([...evaluated, ...disabled]);
}

const requestFrom = (query: Query, distinctId: string): DecideRequest =>
  requestFor(distinctId, { groups: readGroups(queryText(query, 'groups')), runtime: () => 'any' });

function readGroups(text: string | undefined): DecideRequest['groups'] {
  if (text === undefined || text === '') return new Map();
  const given = parsed(text);
  if (given === null) throw invalid('groups', 'Must be a JSON object of group types and keys: {"company": "acme"}.');
  return new Map(
    Object.entries(given).map(([type, key]) => [type, typeof key === 'string' ? key : stringifyExact(key)]),
  );
}

function parsed(text: string): JsonObject | null {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
