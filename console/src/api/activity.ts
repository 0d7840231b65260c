/** Who changed what: lists look the same for every kind of thing. */
import type { Static } from '@sinclair/typebox';
import type { ActivityPageSchema, ActivitySchema } from '../../../src/http/schemas/activity.ts';
import { get, projectPath, type Query } from './request.ts';

export type Activity = Static<typeof ActivitySchema>;
export type ActivityPage = Static<typeof ActivityPageSchema>;

/** Of one thing: activityOf(1, ['persons', uuid]). */
export const activityOf = (
  projectId: number,
  path: readonly (string | number)[],
  query: Query,
  signal?: AbortSignal,
): Promise<ActivityPage> => get<ActivityPage>(projectPath(projectId, ...path, 'activity'), query, signal);

/** Of the whole organization with everything in its projects. */
export const listActivity = (organizationId: string, query: Query, signal?: AbortSignal): Promise<ActivityPage> =>
  get<ActivityPage>(`/api/organizations/${organizationId}/activity/`, query, signal);
