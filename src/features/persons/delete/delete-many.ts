/** Deletes many persons with their events, at a pace that lets other requests through. */
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { changeIdentities, type IdentityDeps } from '../identity/change-identities.ts';

/** Persons in one transaction. */
const BATCH_SIZE = 100;

/**
 * By distinct IDs; those of no person are passed over, so it can be repeated. Unlike a deletion that someone asks for,
 * files are not rewritten: it is for data that belongs to nobody.
 */
export async function deletePersons(
  deps: IdentityDeps,
  projectId: number,
  distinctIds: readonly string[],
  onProgress: (done: number) => void,
): Promise<void> {
  for (let start = 0; start < distinctIds.length; start += BATCH_SIZE) {
    const some = distinctIds.slice(start, start + BATCH_SIZE);
    await changeIdentities(deps, (store) => deleteBatch(store, projectId, some));
    onProgress(start + some.length);
  }
}

/** The event store removes the events of all of them at once, by their distinct IDs. */
async function deleteBatch(store: MetadataStore, projectId: number, some: readonly string[]): Promise<void> {
  const { personIdentities: identities } = store;
  const distinctIds: string[] = [];
  let personId: string | null = null;
  for (const id of some) {
    const person = await store.persons.getByDistinctId(projectId, id);
    if (!person) continue;
    personId ??= person.uuid;
    distinctIds.push(...(await identities.listDistinctIds(person.id)));
    const merged = await identities.getMergedPersons(projectId, person.uuid);
    await identities.delete(person, { ...merged, ids: [person.id, ...merged.ids] });
  }
  if (personId !== null) await identities.queueReassignment({ projectId, personId, kind: 'remove', distinctIds });
}
