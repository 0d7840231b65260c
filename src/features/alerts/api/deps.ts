import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { AlertDeps } from '../alerts.ts';
import type { MeasureDeps } from '../measure/measure-alert.ts';

export interface AlertApiDeps extends RouteDeps, Omit<AlertDeps, 'config'>, MeasureDeps {
  config: RouteDeps['config'] & AlertDeps['config'];
}
