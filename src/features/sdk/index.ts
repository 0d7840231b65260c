import type { Feature } from '../feature.ts';
import { absentFeatureRoutes } from './public/absent-feature-routes.ts';
import type { SdkDeps } from './public/deps.ts';
import { remoteConfigRoutes } from './public/remote-config-routes.ts';
import { Scripts } from './public/scripts.ts';
import { staticRoutes } from './public/static-routes.ts';

export const sdkFeature: Feature<SdkDeps> = {
  name: 'sdk',
  public(app, deps) {
    const scripts = new Scripts(deps.siteScript);
    remoteConfigRoutes(app, deps, scripts);
    staticRoutes(app, scripts);
    absentFeatureRoutes(app, deps);
  },
};
