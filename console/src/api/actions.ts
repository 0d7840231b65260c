import type { Static } from '@sinclair/typebox';
import type { ActionListSchema, ActionSchema } from '../../../src/features/actions/api/action-schemas.ts';
import { get, projectPath } from './request.ts';

type Action = Static<typeof ActionSchema>;

export const listActions = async (projectId: number, signal?: AbortSignal): Promise<Action[]> =>
  (await get<Static<typeof ActionListSchema>>(projectPath(projectId, 'actions'), undefined, signal)).results;
