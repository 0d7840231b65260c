import type { Feature } from '../feature.ts';
import type { PromotionApiDeps } from './api/deps.ts';
import { promotionRoutes } from './api/promotion-routes.ts';

export const promotionFeature: Feature<PromotionApiDeps> = {
  name: 'promotion',
  api: promotionRoutes,
};
