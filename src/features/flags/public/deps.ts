import type { JsonObject } from '../../../core/json/json.ts';
import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { DecideDeps } from '../decide/decide.ts';
import type { ChannelTokens } from '../streams/channel-tokens.ts';
import type { FlagStreams } from '../streams/flag-streams.ts';
import type { FlagUsage } from '../usage/flag-usage.ts';

interface CookielessSighting {
  address: unknown;
  userAgent: unknown;
  host: unknown;
  extra: unknown;
  time: number;
  timezone: unknown;
}

export interface FlagPublicDeps extends PublicRouteDeps {
  config: PublicRouteDeps['config'] & { publicUrl: string | null };
  flagStreams: FlagStreams;
  channelTokens: ChannelTokens;
  decide: DecideDeps;
  flagUsage: Pick<FlagUsage, 'record'>;
  cookieless: {
    /** The id that the events of a visitor without cookies have. */
    distinctId(project: Project, sighting: CookielessSighting): Promise<string | undefined>;
  };
  geoip: { placeOf(address: string): JsonObject | null };
}
