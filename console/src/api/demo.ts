import type { Static } from '@sinclair/typebox';
import type { DemoDataSchema } from '../../../src/features/demo/api/demo-data-schemas.ts';
import { get, post, projectPath, remove } from './request.ts';

type DemoData = Static<typeof DemoDataSchema>;

const path = (projectId: number): string => projectPath(projectId, 'demo_data');

export const getDemoData = (projectId: number, signal?: AbortSignal): Promise<DemoData> =>
  get<DemoData>(path(projectId), undefined, signal);

export const loadDemoData = (projectId: number): Promise<DemoData> => post<DemoData>(path(projectId), {});

export const removeDemoData = (projectId: number): Promise<DemoData> => remove<DemoData>(path(projectId));
