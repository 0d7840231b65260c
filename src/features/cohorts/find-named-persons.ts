import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUuid } from '../../core/events/uuid.ts';
import type { CohortMemberStore } from '../../stores/metadata/cohorts.ts';

/** Names looked up between two turns of others: some 10 ms. */
const BATCH_SIZE = 2000;

/** Numbers of the persons who are called so, by UUID or distinct id; names that are nobody's are passed over. */
export async function findNamedPersons(
  members: CohortMemberStore,
  projectId: number,
  names: AsyncIterable<string> | Iterable<string>,
): Promise<number[]> {
  const found = new Set<number>();
  let slice: string[] = [];
  const lookUp = async (): Promise<void> => {
    const uuids = slice.filter(isUuid).map((uuid) => uuid.toLowerCase());
    if (uuids.length > 0) for (const id of await members.listPersonIdsByUuid(projectId, uuids)) found.add(id);
    for (const id of await members.listPersonIdsByDistinctId(projectId, slice)) found.add(id);
    slice = [];
    await nextTurn();
  };
  for await (const name of names) {
    slice.push(name.toWellFormed());
    if (slice.length >= BATCH_SIZE) await lookUp();
  }
  if (slice.length > 0) await lookUp();
  return [...found];
}
