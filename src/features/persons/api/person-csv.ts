/** Persons as CSV, however many there are. */

import { csvLines, type FlatRow, flatten } from '../../../http/csv.ts';
import { isoOffset } from '../../../http/schemas/common.ts';
import type { PersonStore, StoredPerson } from '../../../stores/metadata/persons.ts';
import { presentListedPerson } from './person-schemas.ts';

/** Each id is a column of the whole table: one person with many would widen every row. */
const MAX_CSV_IDS = 100;

export const personCsv = (
  persons: PersonStore,
  all: () => AsyncIterable<readonly StoredPerson[]>,
): AsyncGenerator<string> => csvLines(() => rowsOf(persons, all()));

async function* rowsOf(
  persons: PersonStore,
  chunks: AsyncIterable<readonly StoredPerson[]>,
): AsyncGenerator<FlatRow[]> {
  for await (const chunk of chunks) {
    const ids = await persons.listDistinctIds(
      chunk.map(({ id }) => id),
      MAX_CSV_IDS,
    );
    yield chunk.map((person) => flatten(presentRow(person, ids.get(person.id) ?? [])));
  }
}

/** A space between date and time: so spreadsheets know it for a moment. */
const presentRow = (person: StoredPerson, distinctIds: readonly string[]) => ({
  ...presentListedPerson(person, distinctIds),
  created_at: isoOffset(person.createdAt).replace('T', ' '),
});
