/** Data loaded from the server, and actions. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/api-error.ts';

export interface Resource<T> {
  /** The last loaded data; it stays while reloading and after an error. */
  data: T | undefined;
  /** Stays until a reload succeeds. */
  error: unknown;
  loading: boolean;
  reload(): void;
  /** Replaces the data, for example with the response to a change. */
  set(data: T): void;
}

/** Loads on mount and whenever one of `inputs` changes, aborting the request before. Null loads nothing. */
export function useResource<T>(
  load: ((signal: AbortSignal) => Promise<T>) | null,
  inputs: readonly unknown[],
): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; loading: boolean }>({ loading: load !== null });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isEnabled = load !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says what `load` depends on
  useEffect(() => {
    const { current } = latest;
    if (current === null) return setState({ loading: false });
    const controller = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, loading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error)) setState((before) => ({ ...before, error, loading: false }));
      },
    );
    return () => controller.abort();
  }, [...inputs, round, isEnabled]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const set = useCallback((data: T) => setState({ data, loading: false }), []);
  return { data: state.data, error: state.error, loading: state.loading, reload, set };
}

/** Runs repeatedly while the page is visible. */
export function useInterval(run: () => void, ms: number): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

export interface Action<A extends unknown[]> {
  run(...args: A): Promise<boolean>;
  busy: boolean;
  error: unknown;
}

/** An action of a button; never runs twice at once. `run` resolves to whether it succeeded. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const isBusy = useRef(false);
  const run = async (...args: A): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await act(...args);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      isBusy.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error };
}
