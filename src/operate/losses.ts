/** What stores have lost, and accepting it. */
import { type AcceptedLosses, acceptLosses } from '../ingest/recover/accept-losses.ts';
import { describeLoss, type EventLoss, readOpenLosses } from '../stores/metadata/event-losses.ts';
import type { Operation } from './operation.ts';

export const listOpenLosses: Operation<object, EventLoss[]> = ({ metadata }) => readOpenLosses(metadata.installation);

export const acceptOpenLosses: Operation<object, AcceptedLosses> = async (deps) => {
  // What is processed but not in the event store yet would look lost.
  await deps.whenProcessed();
  return acceptLosses({ ...deps, dialect: deps.eventQueries.dialect });
};

/** As shown by `/_status`. */
export const presentLoss = (loss: EventLoss) => ({
  store: loss.store,
  events: loss.events,
  received_from: toDate(loss.receivedFrom),
  received_to: toDate(loss.receivedTo),
  found_at: new Date(loss.foundAt).toISOString(),
  detail: describeLoss(loss),
});

const toDate = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
