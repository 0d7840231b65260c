import type { Static } from '@sinclair/typebox';
import type {
  EarlyAccessFeatureSchema,
  FeatureChangeSchema,
  FeatureCreateSchema,
} from '../../../src/features/early-access/api/early-access-schemas.ts';
import { get, type Paged, patch, post, projectPath, remove } from './request.ts';

export type EarlyAccessFeature = Static<typeof EarlyAccessFeatureSchema>;

export const listEarlyAccess = async (projectId: number, signal?: AbortSignal): Promise<EarlyAccessFeature[]> =>
  (await get<Paged<EarlyAccessFeature>>(projectPath(projectId, 'early_access_feature'), { limit: 1000 }, signal))
    .results;
export const createEarlyAccess = (
  projectId: number,
  body: Static<typeof FeatureCreateSchema>,
): Promise<EarlyAccessFeature> => post(projectPath(projectId, 'early_access_feature'), body);
export const updateEarlyAccess = (
  projectId: number,
  id: string,
  body: Static<typeof FeatureChangeSchema>,
): Promise<EarlyAccessFeature> => patch(projectPath(projectId, 'early_access_feature', id), body);
export const deleteEarlyAccess = (projectId: number, id: string): Promise<unknown> =>
  remove(projectPath(projectId, 'early_access_feature', id));
