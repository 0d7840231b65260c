/** How often flags are evaluated: over time, by value and by SDK. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { DateTime, iso, isoOrNull, nullable } from '../../../http/schemas/common.ts';
import { USAGE_INTERVALS, usageSeries, usageSources } from '../usage/usage-report.ts';
import type { FlagRouteDeps } from './deps.ts';
import { findUses, type UsageQuestion } from './find-uses.ts';
import { flagInPath } from './present-flags.ts';

const all = '/api/projects/:project_id/feature_flags/';
const COMMON = { method: 'GET', legacy: 'feature_flag', tag: 'feature flags', scope: 'feature_flag' } as const;
const DEFAULT_RANGE_MS = 30 * DAY_MS;
const MAX_POINTS = 5000;

const UsageSchema = Type.Object({
  results: Type.Array(
    Type.Object({ label: Type.String(), days: Type.Array(Type.String()), data: Type.Array(Type.Integer()) }),
  ),
  total: Type.Integer(),
  first_used_at: nullable(DateTime),
  last_used_at: nullable(DateTime),
  values_seen: Type.Array(Type.String()),
  sources: Type.Array(
    Type.Object({
      name: Type.String(),
      versions: Type.Array(
        Type.Object({ version: nullable(Type.String()), last_seen_at: DateTime, count: Type.Integer() }),
      ),
    }),
  ),
});

export function flagUsageRoutes(app: FastifyInstance, deps: FlagRouteDeps): void {
  projectRoute(app, deps, {
    ...COMMON,
    url: `${all}:id/usage/`,
    summary: 'How often a flag was evaluated, by value, SDK or origin',
    query: {
      from: 'The start; 30 days ago by default.',
      to: 'The end, excluded; now by default.',
      interval: '`minute`, `hour` or `day` (default), of UTC. After 2 days only hours are known, after 60 only days.',
      by: '`value` (default), `source` (the SDK) or `origin`.',
      origin: '`server` (default): evaluated by this server. `sdk`: reported by SDKs that evaluate flags themselves.',
    },
    response: UsageSchema,
    handler: async ({ project, params, query }) => {
      const flag = await flagInPath(deps, project, params['id']);
      const question = readQuestion(query, deps.clock.now());
      const uses = (await findUses(deps, project, flag, question)).filter(
        ({ origin }) => question.by === 'origin' || origin === question.origin,
      );
      const starts = uses.map(({ start }) => start);
      return {
        results: usageSeries(uses, question.by, question),
        total: uses.reduce((sum, { count }) => sum + count, 0),
        first_used_at: starts.length === 0 ? null : iso(Math.min(...starts)),
        last_used_at: starts.length === 0 ? null : iso(Math.max(...starts)),
        values_seen: [...new Set(uses.map(({ value }) => value))].sort(),
        sources: usageSources(uses).map(({ name, versions }) => ({
          name,
          versions: versions.map((one) => ({ ...one, last_seen_at: iso(one.last_seen_at) })),
        })),
      };
    },
  });
  projectRoute(app, deps, {
    ...COMMON,
    url: `${all}usage/`,
    summary: 'When flags were last evaluated',
    query: { keys: 'Keys, separated by commas; all flags by default.' },
    response: Type.Object({
      results: Type.Array(Type.Object({ id: Type.Integer(), key: Type.String(), last_used_at: nullable(DateTime) })),
    }),
    handler: async ({ project, query }) => {
      const keys = queryText(query, 'keys')?.split(',');
      const uses = await deps.flagLastUses.find(project.id);
      const flags = await deps.metadata.flags.listByProject(project.id);
      return {
        results: flags
          .filter(({ key, deleted }) => !deleted && (keys === undefined || keys.includes(key)))
          .map((flag) => ({ id: flag.id, key: flag.key, last_used_at: isoOrNull(uses.of(flag)) })),
      };
    },
  });
}

function readQuestion(query: Query, now: number): UsageQuestion {
  const time = (name: string): number | undefined => {
    const text = queryText(query, name);
    return text ? readTimeField(name, text) : undefined;
  };
  const to = time('to') ?? now + 1;
  const from = time('from') ?? to - DEFAULT_RANGE_MS;
  const interval = oneOf(query, 'interval', ['day', 'hour', 'minute']);
  if (from >= to) throw invalid('from', 'from must be before to.');
  if ((to - from) / USAGE_INTERVALS[interval] > MAX_POINTS) {
    throw invalid('interval', `The range has more than ${MAX_POINTS} intervals: choose a longer interval.`);
  }
  const by = oneOf(query, 'by', ['value', 'source', 'origin']);
  return { from, to, interval, by, origin: oneOf(query, 'origin', ['server', 'sdk']) };
}

/** The first is the default. */
function oneOf<const T extends string>(query: Query, name: string, values: readonly [T, ...T[]]): T {
  const text = queryText(query, name);
  if (!text) return values[0];
  const found = values.find((value) => value === text);
  if (found === undefined) throw invalid(name, `${name} must be one of: ${values.join(', ')}.`);
  return found;
}
