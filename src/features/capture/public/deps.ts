import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { EventIntake } from '../../../ingest/accept/event-intake.ts';

export interface CaptureDeps extends PublicRouteDeps {
  ingestion: Pick<EventIntake, 'accept'>;
}
