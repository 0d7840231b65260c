import type { Person } from '../../api/persons.ts';

export interface TabProps {
  person: Person;
  /** After a change; with the new person if the response has it. */
  onChange(person?: Person): void;
}
