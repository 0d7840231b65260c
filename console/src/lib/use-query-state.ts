/** State that lives in the address: a filter, a tab, an open row. */
import { useCallback, useMemo } from 'preact/hooks';
import { changeQuery, usePlace } from './router.ts';

export interface QueryStateOptions {
  /** True: a change is a step that 'back' undoes, as for an opened row; otherwise it replaces the address. */
  isStep?: boolean;
}

/** A text; the default is not written. */
export function useQueryState(
  name: string,
  fallback = '',
  { isStep = false }: QueryStateOptions = {},
): [string, (value: string) => void] {
  const value = usePlace().query.get(name) ?? fallback;
  const change = useCallback(
    (next: string) => changeQuery({ [name]: next === fallback ? null : next }, { replace: !isStep }),
    [name, fallback, isStep],
  );
  return [value, change];
}

/** Anything that JSON can write; what cannot be read counts as absent. `fallback` must not change between drawings. */
export function useJsonQueryState<T>(name: string, fallback: T): [T, (value: T) => void] {
  const text = usePlace().query.get(name);
  const value = useMemo(() => readJson(text, fallback), [text, fallback]);
  const change = useCallback(
    (next: T) => {
      const written = JSON.stringify(next);
      changeQuery({ [name]: written === JSON.stringify(fallback) ? null : written }, { replace: true });
    },
    [name, fallback],
  );
  return [value, change];
}

function readJson<T>(text: string | null, fallback: T): T {
  if (text === null) return fallback;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) === Array.isArray(fallback) ? (value as T) : fallback;
  } catch {
    return fallback;
  }
}
