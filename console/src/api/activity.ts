/** The activity log. */
import type { Static } from '@sinclair/typebox';
import type { ActivityPageSchema, ActivitySchema } from '../../../src/http/schemas/activity.ts';
import { get, projectPath, type Query } from './request.ts';

export type Activity = Static<typeof ActivitySchema>;
type ActivityPage = Static<typeof ActivityPageSchema>;

/** Of one object: listActivity(1, ['persons', uuid]). */
export const listActivity = (
  projectId: number,
  path: readonly (string | number)[],
  query: Query,
  signal?: AbortSignal,
): Promise<ActivityPage> => get<ActivityPage>(projectPath(projectId, ...path, 'activity'), query, signal);

/** Of an organization and all its projects. */
export const listOrganizationActivity = (
  organizationId: string,
  query: Query,
  signal?: AbortSignal,
): Promise<ActivityPage> => get<ActivityPage>(`/api/organizations/${organizationId}/activity/`, query, signal);
