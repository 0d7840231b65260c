/** From what waits in the outbox to what is worth telling: who it was by the name they go by now, and when. */
import { personName } from '../../core/persons/person-name.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WaitingMessage } from '../../stores/ingest/outbox.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { News } from './webhook-message.ts';

export interface NewsDeps {
  metadata: Pick<MetadataStore, 'eventPersons'>;
  clock: Clock;
  /** Where people find the console; null: messages have no links. */
  publicUrl: string | null;
}

/** Told so much later, it is worth saying when it happened. */
const OLD_AFTER_MS = 60_000;

export async function newsOf(
  { metadata, clock, publicUrl }: NewsDeps,
  projectId: number,
  waiting: readonly WaitingMessage[],
): Promise<News[]> {
  const names = await namesOf(metadata, projectId, waiting);
  const now = clock.now();
  return waiting.map(({ event, count, personUuid, happenedAt, waitingSince }) => {
    const name = names.get(personUuid);
    const url = publicUrl === null ? null : `${publicUrl}/project/${projectId}/persons/${personUuid}`;
    return {
      event,
      count,
      person: name === undefined ? null : { name, url },
      happenedAt: now - waitingSince > OLD_AFTER_MS ? happenedAt : null,
    };
  });
}

async function namesOf(
  { eventPersons }: NewsDeps['metadata'],
  projectId: number,
  waiting: readonly WaitingMessage[],
): Promise<ReadonlyMap<string, string>> {
  const uuids = [...new Set(waiting.map(({ personUuid }) => personUuid))];
  const persons = await eventPersons.byUuids(projectId, uuids);
  return new Map(
    persons.map(({ uuid, properties, firstDistinctId }) => [
      uuid,
      personName(properties, firstDistinctId === null ? [] : [firstDistinctId], uuid),
    ]),
  );
}
