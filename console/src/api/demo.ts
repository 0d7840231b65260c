import { get, post, projectPath } from './request.ts';
import type { DemoData } from './types.ts';

const path = (projectId: number): string => projectPath(projectId, 'demo_data');

export const readDemoData = (projectId: number, signal?: AbortSignal): Promise<DemoData> =>
  get<DemoData>(path(projectId), undefined, signal);

export const loadDemoData = (projectId: number): Promise<DemoData> => post<DemoData>(path(projectId), {});
