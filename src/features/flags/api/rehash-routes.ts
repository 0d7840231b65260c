/** Ends the bucketing of another product that an imported flag was given: first whose value changes, then the change. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { measureImpact } from '../decide/blast-radius.ts';
import { toFlagDefinition } from '../decide/flag-snapshots.ts';
import { updateFlag } from '../manage/flags.ts';
import { hasVendorBucketing } from '../rules/filters-shape.ts';
import { NotRehashable, rehash } from '../rules/rehash.ts';
import type { FlagRouteDeps } from './deps.ts';
import { BlastRadiusSchema, presentReach } from './flag-evaluation-schemas.ts';
import { flagInPath } from './present-flags.ts';

const RehashRequestSchema = Type.Object({
  version: Type.Optional(
    Type.Integer({
      description: 'From the plan, to carry it out; 409 if the flag has changed since. Absent: only plan.',
    }),
  ),
});

const RehashSchema = Type.Composite([
  Type.Object({
    status: Type.Union([Type.Literal('planned'), Type.Literal('rehashed')]),
    version: Type.Integer(),
    filters: Type.Record(Type.String(), Type.Unknown()),
  }),
  Type.Pick(BlastRadiusSchema, ['users_affected', 'total_users', 'users_changed', 'changes']),
]);

export function rehashRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: '/api/projects/:project_id/feature_flags/:id/rehash/',
    edits: ['feature flags'],
    summary: "Hash the users of an imported flag in Cairn's way: first how many change, then done with `version`",
    tag: 'feature flags',
    scope: 'feature_flag',
    body: RehashRequestSchema,
    response: RehashSchema,
    handler: async ({ caller, project, params, body: { version } }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const filters = rehashed(flag.filters);
      const [before, after] = [toFlagDefinition(flag), toFlagDefinition({ ...flag, filters })];
      const impact = await measureImpact(deps, project.id, before, after, { limit: 0, offset: 0 });
      const measured = { ...presentReach(impact), users_changed: impact.changed, changes: impact.changes };
      if (version === undefined) return { status: 'planned' as const, version: flag.version, filters, ...measured };
      const base = { version: null, original: null, exact: version };
      const changed = await updateFlag(deps, caller, project, flag.id, { filters }, base);
      return { status: 'rehashed' as const, version: changed.version, filters: changed.filters, ...measured };
    },
  });
}

function rehashed(filters: JsonObject): JsonObject {
  if (!hasVendorBucketing(filters))
    throw invalid('filters', "Users of this flag are hashed in Cairn's way already.", 'not_imported');
  try {
    return rehash(filters);
  } catch (error) {
    if (!(error instanceof NotRehashable)) throw error;
    throw invalid(
      'filters',
      `Percentages alone cannot say what this flag says: ${error.message}. Rewrite its conditions.`,
    );
  }
}
