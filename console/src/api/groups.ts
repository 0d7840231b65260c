import type { Static } from '@sinclair/typebox';
import type {
  GroupListSchema,
  GroupSchema,
  GroupTypeSchema,
  RelatedSchema,
} from '../../../src/features/groups/api/group-schemas.ts';
import { get, patch, projectPath, type Query } from './request.ts';

export type Group = Static<typeof GroupSchema>;
type GroupList = Static<typeof GroupListSchema>;
export type GroupType = Static<typeof GroupTypeSchema>;

export type Related = Static<typeof RelatedSchema>[number];

export const listGroupTypes = (projectId: number, signal?: AbortSignal): Promise<GroupType[]> =>
  get<GroupType[]>(projectPath(projectId, 'groups_types'), undefined, signal);
export const updateGroupType = (
  projectId: number,
  type: Pick<GroupType, 'group_type_index' | 'name_singular' | 'name_plural'>,
): Promise<GroupType[]> => patch<GroupType[]>(projectPath(projectId, 'groups_types', 'update_metadata'), [type]);
export const listGroups = (projectId: number, query: Query, signal?: AbortSignal): Promise<GroupList> =>
  get<GroupList>(projectPath(projectId, 'groups'), query, signal);

export const getGroup = (projectId: number, type: number, key: string, signal?: AbortSignal): Promise<Group> =>
  get<Group>(projectPath(projectId, 'groups', 'find'), { group_type_index: type, group_key: key }, signal);

/** Persons and groups with common events, those with the latest first. */
export const listRelated = (projectId: number, type: number, key: string, signal?: AbortSignal): Promise<Related[]> =>
  get<Related[]>(projectPath(projectId, 'groups', 'related'), { group_type_index: type, id: key }, signal);
