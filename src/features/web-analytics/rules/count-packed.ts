/** Counts the rows of a period for several tables at once. */
import {
  type CodeGroups,
  type GroupNumbers,
  type Pause,
  type Persons,
  RowsByPerson,
  type SummedFields,
} from './count-groups.ts';
import type { FieldPlace, PackedColumns } from './row-layout.ts';

/** The number of rows that a table is about. */
export interface CountedField {
  place: FieldPlace;
  groups: CodeGroups;
}

/** May be sent to another thread. */
export interface PackedRows {
  columns: PackedColumns;
  persons: Persons;
  /** A number that the rows do not have yet, by person. */
  filled: { place: FieldPlace; codeOf: Uint8Array } | null;
  fields: readonly CountedField[];
  summed: SummedFields | null;
}

export interface CountedRows {
  /** Of the fields. */
  tables: GroupNumbers[];
  /** Everybody who has a row. */
  persons: Int32Array;
}

export async function countPacked(
  { columns, persons, filled, fields, summed }: PackedRows,
  pause: Pause,
): Promise<CountedRows> {
  const rows = await RowsByPerson.inOrder(columns, persons, pause);
  if (filled !== null) rows.fill(filled.place, filled.codeOf);
  const tables: GroupNumbers[] = [];
  for (const { place, groups } of fields) tables.push(await rows.count(place, groups, summed));
  return { tables, persons: rows.persons };
}
