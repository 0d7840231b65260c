import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { rehashFlag } from '../manage/rehash-flag.ts';
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
      const { impact, ...rehashed } = await rehashFlag(deps, caller, project, flag, version ?? null);
      return {
        status: version === undefined ? ('planned' as const) : ('rehashed' as const),
        ...rehashed,
        ...presentReach(impact),
        users_changed: impact.changed,
        changes: impact.changes,
      };
    },
  });
}
