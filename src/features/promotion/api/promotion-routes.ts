/** Promotes flags, cohorts and definitions to another project: planned by one request, done by the next. */
import type { FastifyInstance } from 'fastify';
import { invalid, notFound } from '../../../core/errors.ts';
import { parseId } from '../../../core/parse-id.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText } from '../../../http/paging.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { presentChange, presentReach } from '../../flags/api/flag-evaluation-schemas.ts';
import { flagId, presentOneFlag } from '../../flags/api/present-flags.ts';
import { findDrift } from '../drift.ts';
import { measurePromotion } from '../measure-promotion.ts';
import { planCohortPromotion, promoteCohort } from '../promote-cohort.ts';
import { type DefinitionKind, planDefinitionPromotion, promoteDefinitions } from '../promote-definitions.ts';
import {
  type FlagPromotionPlan,
  planFlagPromotion,
  promoteFlag,
  requirePromotable,
  targetProject,
} from '../promote-flag.ts';
import { FLAG_PARTS } from '../rules/portable-flag.ts';
import type { PromotionApiDeps } from './deps.ts';
import {
  CohortPromotionRequestSchema,
  CohortPromotionSchema,
  DefinitionPromotionRequestSchema,
  DefinitionPromotionSchema,
  FlagDriftSchema,
  FlagPromotionRequestSchema,
  FlagPromotionSchema,
  presentDrift,
  presentPlan,
} from './promotion-schemas.ts';
import { readConfirmation } from './read-confirmation.ts';

const flagTag = 'feature flags';

export function promotionRoutes(app: FastifyInstance, deps: PromotionApiDeps): void {
  flagRoute(app, deps);
  driftRoute(app, deps);
  cohortRoute(app, deps);
  definitionRoute(app, deps, 'event');
  definitionRoute(app, deps, 'property');
}

function flagRoute(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/feature_flags/:id/promote/',
    summary: 'Make the flag with this key in another project say the same; first planned, then done with `confirm`',
    tag: flagTag,
    scope: 'feature_flag',
    body: FlagPromotionRequestSchema,
    response: FlagPromotionSchema,
    handler: async ({ caller, project, params, body }) => {
      const id = flagId(params['id']);
      await requirePromotable(deps.metadata, caller, project, id);
      const target = await targetProject(deps.metadata, caller, project, body.to);
      const { parts = FLAG_PARTS, copy_cohorts: copyCohorts = false } = body;
      if (parts.length === 0) throw invalid('parts', `Choose at least one of ${FLAG_PARTS.join(', ')}.`);
      const promotion = { source: project, target, flagId: id, parts, copyCohorts };
      const confirm = readConfirmation(body);
      if (confirm === null) {
        const plan = await planFlagPromotion(deps.metadata, caller, promotion);
        const radius = plan.missing.length > 0 ? null : await blastRadius(deps, target, plan);
        return { status: 'planned', ...presentPlan(plan), blast_radius: radius, feature_flag: null };
      }
      const { plan, flag } = await promoteFlag(deps, caller, promotion, confirm);
      deps.results.invalidate(target.id);
      const shown = await presentOneFlag(deps, caller, target, flag);
      return { status: 'promoted', ...presentPlan(plan), blast_radius: null, feature_flag: shown };
    },
  });
}

/** Of those whose value changes, so many are listed. */
const LISTED_CHANGES = 20;

async function blastRadius(deps: PromotionApiDeps, target: Project, plan: FlagPromotionPlan) {
  const impact = await measurePromotion(deps, target.id, plan, LISTED_CHANGES);
  const results = impact.changedPage.map(presentChange);
  return { ...presentReach(impact), users_changed: impact.changed, changes: impact.changes, results };
}

function driftRoute(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: '/api/projects/:project_id/feature_flags/drift/',
    summary: 'Flags that differ from those with the same keys in another project',
    tag: flagTag,
    scope: 'feature_flag',
    query: { with: 'The other project; by default, each flag is compared with the one that it was promoted from.' },
    response: FlagDriftSchema,
    handler: async ({ caller, project, query }) => {
      const results = await findDrift(deps.metadata, caller, project, readOther(queryText(query, 'with')));
      return { results: results.map(presentDrift) };
    },
  });
}

function readOther(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const id = parseId(text);
  if (id === null) throw invalid('with', '`with` is the number of a project.');
  return id;
}

function cohortRoute(app: FastifyInstance, deps: PromotionApiDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/cohorts/:id/promote/',
    edits: ['cohorts'],
    summary: 'Give the cohort with this name in another project the same criteria; planned, then done with `confirm`',
    tag: 'cohorts',
    scope: 'cohort',
    body: CohortPromotionRequestSchema,
    response: CohortPromotionSchema,
    handler: async ({ caller, project, params, body }) => {
      const target = await targetProject(deps.metadata, caller, project, body.to);
      const cohortId = parseId(params['id']);
      if (cohortId === null) throw notFound();
      const promotion = { source: project, target, cohortId, copyCohorts: body.copy_cohorts ?? false };
      const confirm = readConfirmation(body);
      if (confirm === null) {
        const plan = await planCohortPromotion(deps.metadata, caller, promotion);
        return { status: 'planned', ...presentPlan(plan), feature_flags: plan.flags, cohort: null };
      }
      const { plan, cohort } = await promoteCohort(deps, caller, promotion, confirm);
      deps.results.invalidate(target.id);
      const { id, name } = cohort;
      return { status: 'promoted', ...presentPlan(plan), feature_flags: plan.flags, cohort: { id, name } };
    },
  });
}

function definitionRoute(app: FastifyInstance, deps: PromotionApiDeps, kind: DefinitionKind): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: `/api/projects/:project_id/${kind}_definitions/promote/`,
    edits: ['data management'],
    summary: `Carry descriptions, tags, types and marks of ${kind} definitions over to another project`,
    tag: 'definitions',
    scope: `${kind}_definition`,
    body: DefinitionPromotionRequestSchema,
    response: DefinitionPromotionSchema,
    handler: async ({ caller, project, body }) => {
      const target = await targetProject(deps.metadata, caller, project, body.to);
      const promotion = { kind, source: project, target, names: body.names ?? null };
      const confirm = readConfirmation(body);
      const {
        diff,
        missing,
        confirm: token,
      } = await (confirm === null
        ? planDefinitionPromotion(deps.metadata, caller, promotion)
        : promoteDefinitions(deps, caller, promotion, confirm));
      return { status: confirm === null ? 'planned' : 'promoted', diff, missing, confirm: token };
    },
  });
}
