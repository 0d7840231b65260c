/** State in the URL: a filter, a tab, an open row. */
import { useCallback, useMemo } from 'preact/hooks';
import { changeQuery, useLocation } from './router.ts';

interface QueryStateOptions {
  /** True: the browser's back button undoes a change. */
  isStep?: boolean;
}

/** The default value is not written to the URL. */
export function useQueryState(
  name: string,
  fallback = '',
  { isStep = false }: QueryStateOptions = {},
): [string, (value: string) => void] {
  const value = useLocation().query.get(name) ?? fallback;
  const change = useCallback(
    (next: string) => changeQuery({ [name]: next === fallback ? null : next }, { replace: !isStep }),
    [name, fallback, isStep],
  );
  return [value, change];
}

/** Any JSON; invalid JSON counts as absent. `fallback` must not change between renders. */
export function useJsonQueryState<T>(
  name: string,
  fallback: T,
  { isStep = false }: QueryStateOptions = {},
): [T, (value: T) => void] {
  const text = useLocation().query.get(name);
  const value = useMemo(() => readJson(text, fallback), [text, fallback]);
  const change = useCallback(
    (next: T) => {
      const json = JSON.stringify(next);
      changeQuery({ [name]: json === JSON.stringify(fallback) ? null : json }, { replace: !isStep });
    },
    [name, fallback, isStep],
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
