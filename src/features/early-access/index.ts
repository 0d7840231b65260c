import type { Feature } from '../feature.ts';
import { type EarlyAccessRouteDeps, earlyAccessRoutes } from './api/early-access-routes.ts';
import { type EarlyAccessListDeps, earlyAccessListRoutes } from './public/early-access-list-routes.ts';
import { earlyAccessStore } from './store/early-access-store.ts';

export const earlyAccessFeature: Feature<EarlyAccessRouteDeps & EarlyAccessListDeps> = {
  name: 'early-access',
  api: earlyAccessRoutes,
  public: earlyAccessListRoutes,
  stores: { earlyAccessFeatures: earlyAccessStore },
  projectTables: ['earlyAccessFeatures'],
};
