import type { Feature } from '../feature.ts';
import type { SqlApiDeps } from './api/deps.ts';
import { sqlRoutes } from './api/sql-routes.ts';

export const sqlFeature: Feature<SqlApiDeps> = {
  name: 'sql',
  api: sqlRoutes,
};
