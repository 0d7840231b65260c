/**
 * Deletes what belongs to the project but holds an id or the email address of a deleted person: groups with such a key,
 * and definitions of events and properties with such a name.
 */
import { MAX_GROUP_TYPES } from '../../../core/events/groups.ts';
import type { PropertyKindQuery } from '../../../stores/metadata/definitions.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { RemovedCounts } from '../../../stores/metadata/person-identities.ts';

/** Each is a search of all names, in one transaction. */
const MAX_TEXTS = 20;
const PAGE = { limit: 500, offset: 0 };
const BY_NAME = { scores: null, descending: false };
const NO_GROUP = -1;
const PROPERTY_KINDS: readonly PropertyKindQuery[] = [
  { kind: 'event', groupTypeIndex: NO_GROUP },
  { kind: 'person', groupTypeIndex: NO_GROUP },
  ...Array.from({ length: MAX_GROUP_TYPES }, (_, groupTypeIndex) => ({ kind: 'group' as const, groupTypeIndex })),
];
const ANY = { names: undefined, excluded: [], numerical: undefined, flags: undefined, seenOn: undefined };

export async function deleteNames(
  store: MetadataStore,
  projectId: number,
  all: readonly string[],
): Promise<RemovedCounts> {
  const texts = all.slice(0, MAX_TEXTS);
  const removed = { groups: await store.groups.delete(projectId, texts), eventDefinitions: 0, propertyDefinitions: 0 };
  for (const text of texts) {
    removed.eventDefinitions += await deleteEvents(store, projectId, text);
    for (const kind of PROPERTY_KINDS) {
      removed.propertyDefinitions += await deleteProperties(store, projectId, kind, text);
    }
  }
  await store.personIdentities.blankDefinitionActivity(projectId, texts);
  return removed;
}

async function deleteEvents(store: MetadataStore, projectId: number, text: string): Promise<number> {
  const filter = { words: [text], only: undefined };
  for (let deleted = 0; ; ) {
    const { items } = await store.definitions.pageOfEvents(projectId, filter, BY_NAME, PAGE);
    for (const definition of items) {
      await store.definitions.deleteEvent(projectId, definition);
      await store.outbox.delete(projectId, definition.name);
    }
    deleted += items.length;
    if (items.length < PAGE.limit) return deleted;
  }
}

async function deleteProperties(
  { definitions }: MetadataStore,
  projectId: number,
  kind: PropertyKindQuery,
  text: string,
): Promise<number> {
  const filter = { ...ANY, ...kind, words: [text] };
  for (let deleted = 0; ; ) {
    const { items } = await definitions.pageOfProperties(projectId, filter, BY_NAME, PAGE);
    for (const definition of items) await definitions.deleteProperty(projectId, definition);
    deleted += items.length;
    if (items.length < PAGE.limit) return deleted;
  }
}
