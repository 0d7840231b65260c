import type { JsonObject } from '../../../core/json/json.ts';
import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { DecideDeps } from '../decide/decide.ts';

export interface FlagPublicDeps extends PublicRouteDeps {
  decide: DecideDeps;
  geoip: { placeOf(address: string): JsonObject | null };
}
