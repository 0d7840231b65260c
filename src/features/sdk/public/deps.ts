import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { DecideDeps } from '../../flags/decide/decide.ts';

export interface SdkDeps extends PublicRouteDeps {
  decide: DecideDeps;
}
