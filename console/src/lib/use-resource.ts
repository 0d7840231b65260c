/** Something that is read from the server: its three states, and a way to read it again. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/api-error.ts';

export interface Resource<T> {
  /** What was read last; it stays while it is read again, and after a failure. */
  data: T | undefined;
  /** Of the last reading; it stays until one has worked. */
  error: unknown;
  loading: boolean;
  reload(): void;
  /** Puts a newer version in place, such as the answer to a change. */
  set(data: T): void;
}

/**
 * Reads when it appears, and again when one of `inputs` changes. A reading that is no longer wanted is aborted.
 * `load` may be null: nothing is read yet.
 */
export function useResource<T>(
  load: ((signal: AbortSignal) => Promise<T>) | null,
  inputs: readonly unknown[],
): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; loading: boolean }>({ loading: load !== null });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isWanted = load !== null;
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
  }, [...inputs, round, isWanted]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const set = useCallback((data: T) => setState({ data, loading: false }), []);
  return { data: state.data, error: state.error, loading: state.loading, reload, set };
}

/** Runs again and again while the page is looked at. */
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

/** Something that a button does: never twice at once; `run` resolves to whether it worked. */
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
