import type { PublicDeps as PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { DecideDeps } from '../decide/decide.ts';

export interface PublicDeps extends PublicRouteDeps {
  decide: DecideDeps;
}
