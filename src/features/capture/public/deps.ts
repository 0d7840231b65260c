import type { PublicDeps as PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { EventDoor } from '../../../ingest/accept/event-intake.ts';

export interface PublicDeps extends PublicRouteDeps {
  ingestion: Pick<EventDoor, 'accept'>;
}
