import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUuid } from '../../core/events/uuid.ts';
import type { CohortMemberStore } from '../../stores/metadata/cohorts.ts';

/** Takes about 10 ms, after which other work gets its turn. */
const BATCH_SIZE = 2000;

/** The ids of persons by UUID or distinct id; unknown ones are ignored. */
export async function findNamedPersons(
  members: CohortMemberStore,
  projectId: number,
  names: AsyncIterable<string> | Iterable<string>,
): Promise<number[]> {
  const found = new Set<number>();
  let batch: string[] = [];
  const lookUp = async (): Promise<void> => {
    const uuids = batch.filter(isUuid).map((uuid) => uuid.toLowerCase());
    if (uuids.length > 0) for (const id of await members.listPersonIdsByUuid(projectId, uuids)) found.add(id);
    for (const id of await members.listPersonIdsByDistinctId(projectId, batch)) found.add(id);
    batch = [];
    await nextTurn();
  };
  for await (const name of names) {
    batch.push(name.toWellFormed());
    if (batch.length >= BATCH_SIZE) await lookUp();
  }
  if (batch.length > 0) await lookUp();
  return [...found];
}
