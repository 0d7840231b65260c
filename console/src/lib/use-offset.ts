import { changeQuery, usePlace } from './router.ts';

/** How many rows of a list are passed over, in the address; each page is a step that 'back' undoes. */
export function useOffset(): [number, (offset: number) => void] {
  const given = Number(usePlace().query.get('offset') ?? 0);
  const offset = Number.isSafeInteger(given) && given > 0 ? given : 0;
  return [offset, (next) => changeQuery({ offset: next === 0 ? null : String(next) })];
}

/** A changed filter begins the list at its first page again. */
export const changeFilter = (changes: Readonly<Record<string, string | null>>): void =>
  changeQuery({ ...changes, offset: null }, { replace: true });
