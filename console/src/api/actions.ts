import type { Static } from '@sinclair/typebox';
import type {
  ActionChangeSchema,
  ActionCreateSchema,
  ActionListSchema,
  ActionSchema,
} from '../../../src/features/actions/api/action-schemas.ts';
import { get, patch, post, projectPath } from './request.ts';

export type Action = Static<typeof ActionSchema>;
export type ActionStep = Action['steps'][number];

export const listActions = async (projectId: number, signal?: AbortSignal): Promise<Action[]> =>
  (await get<Static<typeof ActionListSchema>>(projectPath(projectId, 'actions'), undefined, signal)).results;

export const getAction = (projectId: number, id: string, signal?: AbortSignal): Promise<Action> =>
  get<Action>(projectPath(projectId, 'actions', id), undefined, signal);

export const createAction = (projectId: number, body: Static<typeof ActionCreateSchema>): Promise<Action> =>
  post<Action>(projectPath(projectId, 'actions'), body);

export const updateAction = (projectId: number, id: number, body: Static<typeof ActionChangeSchema>): Promise<Action> =>
  patch<Action>(projectPath(projectId, 'actions', id), body);
