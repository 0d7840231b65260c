import type { Feature } from '../feature.ts';
import type { SharingApiDeps, SharingPageDeps } from './api/deps.ts';
import { sharingRoutes } from './api/sharing-routes.ts';
import { webShareRoutes } from './api/web-share-routes.ts';
import { sharedRoutes } from './public/shared-routes.ts';
import { shareStore } from './store/share-store.ts';
import { webShareStore } from './store/web-share-store.ts';

export const sharingFeature: Feature<SharingApiDeps & SharingPageDeps> = {
  name: 'sharing',
  api: (app, deps) => {
    sharingRoutes(app, deps);
    webShareRoutes(app, deps);
  },
  pages: sharedRoutes,
  stores: { shares: shareStore, webShares: webShareStore },
  projectTables: ['sharePasswords', 'shareViews', 'shares', 'webShares'],
};
