/** Persons as CSV, however many there are. */
import type { PersonStore, StoredPerson } from '../stores/person-store.ts';
import { csvLines, type FlatRow, flatten } from './csv.ts';
import { isoOffset } from './schemas/event.ts';
import { presentListedPerson } from './schemas/person.ts';

/** Each id is a column of the whole table: one person with many would widen every row. */
const SHOWN_IDS = 100;

export const personCsv = (
  persons: PersonStore,
  slices: () => AsyncIterable<readonly StoredPerson[]>,
): AsyncGenerator<string> => csvLines(() => rowsOf(persons, slices()));

async function* rowsOf(
  persons: PersonStore,
  slices: AsyncIterable<readonly StoredPerson[]>,
): AsyncGenerator<FlatRow[]> {
  for await (const slice of slices) {
    const ids = await persons.distinctIds(
      slice.map(({ id }) => id),
      SHOWN_IDS,
    );
    yield slice.map((person) => flatten(presentRow(person, ids.get(person.id) ?? [])));
  }
}

/** A space between date and time: so spreadsheets know it for a moment. */
const presentRow = (person: StoredPerson, distinctIds: readonly string[]) => ({
  ...presentListedPerson(person, distinctIds),
  created_at: isoOffset(person.createdAt).replace('T', ' '),
});
