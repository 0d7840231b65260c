import type { Static } from '@sinclair/typebox';
import type { GroupListSchema, GroupSchema, GroupTypeSchema } from '../../../src/features/groups/api/group-schemas.ts';
import { get, patch, projectPath, type Query } from './request.ts';

export type Group = Static<typeof GroupSchema>;
type GroupList = Static<typeof GroupListSchema>;
export type GroupType = Static<typeof GroupTypeSchema>;

export const listGroupTypes = (projectId: number, signal?: AbortSignal): Promise<GroupType[]> =>
  get<GroupType[]>(projectPath(projectId, 'groups_types'), undefined, signal);
export const updateGroupType = (
  projectId: number,
  type: Pick<GroupType, 'group_type_index' | 'name_singular' | 'name_plural'>,
): Promise<GroupType[]> => patch<GroupType[]>(projectPath(projectId, 'groups_types', 'update_metadata'), [type]);
export const listGroups = (projectId: number, query: Query, signal?: AbortSignal): Promise<GroupList> =>
  get<GroupList>(projectPath(projectId, 'groups'), query, signal);
