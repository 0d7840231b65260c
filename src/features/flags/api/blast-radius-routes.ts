/** How many users a condition, a flag or a change to a flag would affect, before it is saved. */
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid, notFound } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY } from '../../../http/schemas/common.ts';
import { measureImpact, measureReach } from '../decide/blast-radius.ts';
import { toFlagDefinition } from '../decide/flag-snapshots.ts';
import { withExplicitGroups } from '../rules/filters-shape.ts';
import type { FlagDefinition } from '../rules/flag.ts';
import { followPercentages } from '../rules/validate/follow-percentages.ts';
import type { FlagRouteDeps } from './deps.ts';
import { BlastRadiusRequestSchema, BlastRadiusSchema, presentChange, presentReach } from './flag-evaluation-schemas.ts';

type BlastRadiusRequest = Static<typeof BlastRadiusRequestSchema>;

export function flagBlastRadiusRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/feature_flags/user_blast_radius/',
    legacy: 'feature_flag',
    summary: 'How many users a condition or flag reaches; with the `id` of a flag, whose value would change',
    tag: 'feature flags',
    scope: 'feature_flag',
    readOnly: true,
    query: PAGE_QUERY,
    body: BlastRadiusRequestSchema,
    response: BlastRadiusSchema,
    handler: async ({ project, body, query, url }) => {
      if (body.condition !== undefined) {
        return presentReach(await measureReach(deps, project.id, flagOfCondition(body), false));
      }
      if (typeof body.id !== 'number') {
        if (body.filters === undefined) throw invalid(undefined, 'Missing condition for which to get blast radius');
        return presentReach(await measureReach(deps, project.id, flagOfFilters(body, body.filters as JsonObject)));
      }
      const { before, after } = await versionsToCompare(deps, project.id, body, body.id);
      const page = readPage(query);
      const impact = await measureImpact(deps, project.id, before, after, page);
      const { count, ...list } = envelope(
        url,
        page,
        { count: impact.changed, items: impact.changedPage },
        presentChange,
      );
      return { ...presentReach(impact), users_changed: count, changes: impact.changes, ...list };
    },
  });
}

/** No flag can have this key. */
const PREVIEW_KEY = '\u0000preview';

const preview = (key: string, filters: JsonObject): FlagDefinition => ({
  id: -1,
  key,
  active: true,
  version: 0,
  filters,
  ensureExperienceContinuity: false,
  evaluationRuntime: 'all',
  bucketingIdentifier: 'distinct_id',
});

/** All who match the condition, whatever its rollout percentage. */
function flagOfCondition({ condition, group_type_index }: BlastRadiusRequest): FlagDefinition {
  const properties = (condition?.properties ?? []) as JsonObject[];
  const index = group_type_index ?? null;
  const isOfGroupType = ({ type, group_type_index: given }: JsonObject): boolean =>
    index === null ? type !== 'group' : type === 'group' && given === index;
  if (!properties.every(isOfGroupType))
    throw invalid(undefined, 'Invalid group type index for feature flag condition.');
  return preview(PREVIEW_KEY, {
    groups: [{ properties, rollout_percentage: null }],
    aggregation_group_type_index: index,
  });
}

/** Buckets depend on the key; a flag without one gets a placeholder. */
const flagOfFilters = ({ key }: BlastRadiusRequest, filters: JsonObject): FlagDefinition =>
  preview(key ?? PREVIEW_KEY, withExplicitGroups(filters));

async function versionsToCompare(deps: FlagRouteDeps, projectId: number, body: BlastRadiusRequest, id: number) {
  const flag = await deps.metadata.flags.get(projectId, id);
  if (!flag) throw notFound();
  const { key = flag.key, active = flag.active, deleted = flag.deleted } = body;
  const filters =
    body.filters === undefined ? flag.filters : followPercentages(flag.filters, body.filters as JsonObject);
  const before = flag.active && !flag.deleted ? toFlagDefinition(flag) : null;
  return { before, after: active && !deleted ? toFlagDefinition({ ...flag, key, filters, active: true }) : null };
}
