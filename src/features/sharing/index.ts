import type { Feature } from '../feature.ts';
import type { SharingApiDeps, SharingPageDeps } from './api/deps.ts';
import { sharingRoutes } from './api/sharing-routes.ts';
import { sharedRoutes } from './public/shared-routes.ts';
import { shareStore } from './store/share-store.ts';

export const sharingFeature: Feature<SharingApiDeps & SharingPageDeps> = {
  name: 'sharing',
  api: sharingRoutes,
  pages: sharedRoutes,
  stores: { shares: shareStore },
  projectTables: ['sharePasswords', 'shareViews', 'shares'],
};
