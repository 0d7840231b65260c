import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { AnnotationDeps } from '../annotations.ts';

export interface AnnotationApiDeps extends RouteDeps, AnnotationDeps {}
