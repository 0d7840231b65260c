/** The messages of the outbox with what they show: the current name of the person, and when it happened. */
import { personName } from '../../core/persons/person-name.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OutboxMessage } from '../../stores/ingest/outbox.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { WebhookFact } from './webhook-message.ts';

export interface WebhookFactDeps {
  metadata: Pick<MetadataStore, 'eventPersons'>;
  clock: Clock;
  /** The URL of the console; null: messages have no links. */
  publicUrl: string | null;
}

/** A message that is sent later than this says when it happened. */
const OLD_AFTER_MS = 60_000;

export async function webhookFacts(
  { metadata, clock, publicUrl }: WebhookFactDeps,
  projectId: number,
  waiting: readonly OutboxMessage[],
): Promise<WebhookFact[]> {
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
  { eventPersons }: WebhookFactDeps['metadata'],
  projectId: number,
  waiting: readonly OutboxMessage[],
): Promise<ReadonlyMap<string, string>> {
  const uuids = [...new Set(waiting.map(({ personUuid }) => personUuid))];
  const persons = await eventPersons.listByUuids(projectId, uuids, ['email']);
  return new Map(
    persons.map(({ uuid, properties, firstDistinctId }) => [
      uuid,
      personName(properties, firstDistinctId === null ? [] : [firstDistinctId], uuid),
    ]),
  );
}
