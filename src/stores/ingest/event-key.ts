import type { EventId } from './ingest-store.ts';

/** Two projects may have events with the same uuid. */
export const eventKey = ({ projectId, uuid }: EventId): string => `${projectId}:${uuid}`;
