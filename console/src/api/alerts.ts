/** Alerts, and the log of what was delivered. */
import type { Static } from '@sinclair/typebox';
import type {
  AlertChangeSchema,
  AlertCreateSchema,
  AlertSchema,
  BacktestRequestSchema,
  BacktestSchema,
} from '../../../src/features/alerts/api/alert-schemas.ts';
import type { DeliverySchema } from '../../../src/features/deliveries/api/delivery-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove } from './request.ts';

export type Alert = Static<typeof AlertSchema>;
export type AlertCheck = Alert['checks'][number];
export type AlertTarget = Alert['targets'][number];
export type AlertWrite = Static<typeof AlertCreateSchema>;
export type Backtest = Static<typeof BacktestSchema>;
export type Delivery = Static<typeof DeliverySchema>;

export const listAlerts = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Alert>> =>
  get<Paged<Alert>>(projectPath(projectId, 'alerts'), query, signal);
export const getAlert = (projectId: number, id: string, signal?: AbortSignal): Promise<Alert> =>
  get<Alert>(projectPath(projectId, 'alerts', id), {}, signal);
export const createAlert = (projectId: number, body: AlertWrite): Promise<Alert> =>
  post<Alert>(projectPath(projectId, 'alerts'), body);
export const updateAlert = (projectId: number, id: string, body: Static<typeof AlertChangeSchema>): Promise<Alert> =>
  patch<Alert>(projectPath(projectId, 'alerts', id), body);
export const deleteAlert = (projectId: number, id: string): Promise<unknown> =>
  remove(projectPath(projectId, 'alerts', id));
export const testAlert = (projectId: number, id: string): Promise<{ deliveries: number }> =>
  post<{ deliveries: number }>(projectPath(projectId, 'alerts', id, 'test'), {});
export const listChecks = (
  projectId: number,
  id: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<AlertCheck>> => get<Paged<AlertCheck>>(projectPath(projectId, 'alerts', id, 'checks'), query, signal);
export const backtestAlert = (
  projectId: number,
  body: Static<typeof BacktestRequestSchema>,
  signal?: AbortSignal,
): Promise<Backtest> => post<Backtest>(projectPath(projectId, 'alerts', 'backtest'), body, signal);

export const listDeliveries = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Delivery>> =>
  get<Paged<Delivery>>(projectPath(projectId, 'deliveries'), query, signal);
export const retryDelivery = (projectId: number, id: number): Promise<Delivery> =>
  post<Delivery>(projectPath(projectId, 'deliveries', id, 'retry'), {});
