import type { Logger } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Feature } from '../feature.ts';
import { type AlertMetrics, openAlertMetrics } from './alert-metrics.ts';
import { alertRoutes } from './api/alert-routes.ts';
import type { AlertApiDeps } from './api/deps.ts';
import { AlertChecks } from './check-alerts.ts';
import { unsubscribeRoutes } from './public/unsubscribe-routes.ts';
import { alertStore } from './store/alert-store.ts';

/** A process may become the leader several times, but has one of each metric. */
const opened = new WeakMap<Metrics, AlertMetrics>();

function metricsOf(metrics: Metrics): AlertMetrics {
  const known = opened.get(metrics) ?? openAlertMetrics(metrics.registry);
  opened.set(metrics, known);
  return known;
}

export const alertsFeature: Feature<AlertApiDeps & { log: Logger; metrics: Metrics }> = {
  name: 'alerts',
  api: alertRoutes,
  pages: unsubscribeRoutes,
  stores: { alerts: alertStore },
  projectTables: ['alertChecks', 'alerts'],
  leaderTasks: (deps) => [
    new AlertChecks({
      ...deps,
      logger: deps.log,
      metrics: metricsOf(deps.metrics),
      publicUrl: deps.config.publicUrl,
    }),
  ],
};
