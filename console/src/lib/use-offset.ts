import { changeQuery, useLocation } from './router.ts';

/** The offset of a list, in the URL; the browser's back button goes back a page. */
export function useOffset(): [number, (offset: number) => void] {
  const given = Number(useLocation().query.get('offset') ?? 0);
  const offset = Number.isSafeInteger(given) && given > 0 ? given : 0;
  return [offset, (next) => changeQuery({ offset: next === 0 ? null : String(next) })];
}

/** A changed filter goes back to the first page. */
export const changeFilter = (changes: Readonly<Record<string, string | null>>): void =>
  changeQuery({ ...changes, offset: null }, { replace: true });
