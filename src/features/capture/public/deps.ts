import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { EventIntake } from '../../../ingest/accept/event-intake.ts';
import type { Cookieless } from '../cookieless/cookieless.ts';
import type { EventRate } from '../event-rate.ts';
import type { Places } from '../visitor-facts.ts';

export interface CaptureDeps extends PublicRouteDeps {
  ingestion: Pick<EventIntake, 'accept'>;
  geoip: Places;
  cookieless: Pick<Cookieless, 'complete'>;
  eventRate: Pick<EventRate, 'take'>;
}
