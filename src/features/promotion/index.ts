import type { Feature } from '../feature.ts';
import type { PromotionApiDeps } from './api/deps.ts';
import { flagFileRoutes } from './api/flag-file-routes.ts';
import { flagImportRoutes } from './api/flag-import-routes.ts';
import { promotionRoutes } from './api/promotion-routes.ts';

export const promotionFeature: Feature<PromotionApiDeps> = {
  name: 'promotion',
  api(app, deps) {
    promotionRoutes(app, deps);
    flagFileRoutes(app, deps);
    flagImportRoutes(app, deps);
  },
};
