/** Digests: dashboards and insights that are sent on a schedule. */
import type { Static } from '@sinclair/typebox';
import type {
  SubscriptionChangeSchema,
  SubscriptionCreateSchema,
  SubscriptionSchema,
} from '../../../src/features/subscriptions/api/subscription-schemas.ts';
import { get, type Paged, patch, post, projectPath, type Query, remove } from './request.ts';

export type Digest = Static<typeof SubscriptionSchema>;
export type DigestWrite = Static<typeof SubscriptionCreateSchema>;

export const listDigests = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Digest>> =>
  get<Paged<Digest>>(projectPath(projectId, 'subscriptions'), query, signal);
export const createDigest = (projectId: number, body: DigestWrite): Promise<Digest> =>
  post<Digest>(projectPath(projectId, 'subscriptions'), body);
export const updateDigest = (
  projectId: number,
  id: number,
  body: Static<typeof SubscriptionChangeSchema>,
): Promise<Digest> => patch<Digest>(projectPath(projectId, 'subscriptions', id), body);
export const deleteDigest = (projectId: number, id: number): Promise<unknown> =>
  remove(projectPath(projectId, 'subscriptions', id));
export const testDigest = (projectId: number, id: number): Promise<{ deliveries: number }> =>
  post<{ deliveries: number }>(projectPath(projectId, 'subscriptions', id, 'test-delivery'), {});
