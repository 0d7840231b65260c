import type { Static } from '@sinclair/typebox';
import type {
  ScheduledChangeCreateSchema,
  ScheduledChangeSchema,
} from '../../../src/features/scheduled-changes/api/scheduled-change-schemas.ts';
import { get, type Paged, patch, post, projectPath, remove } from './request.ts';

export type ScheduledChange = Static<typeof ScheduledChangeSchema>;
export type ScheduledChangeWrite = Static<typeof ScheduledChangeCreateSchema>;

export const listScheduledChanges = async (
  projectId: number,
  flagId: number,
  signal?: AbortSignal,
): Promise<ScheduledChange[]> => {
  const query = { model_name: 'FeatureFlag', record_id: flagId, limit: 1000 };
  return (await get<Paged<ScheduledChange>>(projectPath(projectId, 'scheduled_changes'), query, signal)).results;
};
export const createScheduledChange = (projectId: number, body: ScheduledChangeWrite): Promise<ScheduledChange> =>
  post<ScheduledChange>(projectPath(projectId, 'scheduled_changes'), body);
export const pauseScheduledChange = (projectId: number, id: number, isPaused: boolean): Promise<ScheduledChange> =>
  patch<ScheduledChange>(projectPath(projectId, 'scheduled_changes', id), { is_recurring: !isPaused });
export const cancelScheduledChange = (projectId: number, id: number): Promise<unknown> =>
  remove(projectPath(projectId, 'scheduled_changes', id));
