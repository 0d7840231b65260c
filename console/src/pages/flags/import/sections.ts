import type { Result } from './percentages.ts';

/** What happens to the flags of a file, in the order that they are shown in. */
export const SECTIONS = ['Create', 'Change', 'No change', 'Left out'] as const;
type Section = (typeof SECTIONS)[number];

export function sectionOf({ action }: Pick<Result, 'action'>): Section {
  if (action === null) return 'Left out';
  return action === 'create' ? 'Create' : action === 'update' ? 'Change' : 'No change';
}

export const inSections = (results: readonly Result[]): Result[] =>
  SECTIONS.flatMap((section) => results.filter((one) => sectionOf(one) === section));
