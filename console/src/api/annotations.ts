import type { Static } from '@sinclair/typebox';
import type {
  AnnotationChangeSchema,
  AnnotationCreateSchema,
  AnnotationPageSchema,
  AnnotationSchema,
} from '../../../src/features/annotations/api/annotation-schemas.ts';
import { get, patch, post, projectPath, type Query } from './request.ts';

export type ChartAnnotation = Static<typeof AnnotationSchema>;
export type AnnotationWrite = Static<typeof AnnotationCreateSchema>;
export type AnnotationPage = Static<typeof AnnotationPageSchema>;

export const listAnnotations = (projectId: number, query: Query, signal?: AbortSignal): Promise<AnnotationPage> =>
  get<AnnotationPage>(projectPath(projectId, 'annotations'), query, signal);
export const createAnnotation = (projectId: number, body: AnnotationWrite): Promise<ChartAnnotation> =>
  post<ChartAnnotation>(projectPath(projectId, 'annotations'), body);
export const updateAnnotation = (
  projectId: number,
  id: number,
  body: Static<typeof AnnotationChangeSchema>,
): Promise<ChartAnnotation> => patch<ChartAnnotation>(projectPath(projectId, 'annotations', id), body);
