import type { Feature } from '../feature.ts';
import { annotationRoutes } from './api/annotation-routes.ts';
import type { AnnotationApiDeps } from './api/deps.ts';
import { annotationStore } from './store/annotation-store.ts';

export const annotationsFeature: Feature<AnnotationApiDeps> = {
  name: 'annotations',
  api: annotationRoutes,
  stores: { annotations: annotationStore },
  projectTables: ['annotations'],
};
