import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { DecideDeps } from '../../flags/decide/decide.ts';

export interface SdkDeps extends PublicRouteDeps {
  decide: DecideDeps;
  /** The script for sites that want no SDK, as the build wrote it. */
  siteScript: URL;
}
