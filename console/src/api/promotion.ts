/** Promoting flags to other projects. */
import type { Static } from '@sinclair/typebox';
import type { FlagDriftSchema, FlagPromotionSchema } from '../../../src/features/promotion/api/promotion-schemas.ts';
import { get, post, projectPath } from './request.ts';

export type FlagPromotion = Static<typeof FlagPromotionSchema>;

interface PromotionRequest {
  to: number;
  copy_cohorts: boolean;
  /** Of the plan; without it, only planned. */
  confirm?: string;
}

export const promoteFlag = (
  projectId: number,
  flagId: number,
  body: PromotionRequest,
  signal?: AbortSignal,
): Promise<FlagPromotion> =>
  post<FlagPromotion>(projectPath(projectId, 'feature_flags', flagId, 'promote'), body, signal);

export type FlagDrift = Static<typeof FlagDriftSchema>['results'][number];

export const listDrift = async (projectId: number, otherId: number, signal?: AbortSignal): Promise<FlagDrift[]> => {
  const path = projectPath(projectId, 'feature_flags', 'drift');
  return (await get<Static<typeof FlagDriftSchema>>(path, { with: otherId }, signal)).results;
};
