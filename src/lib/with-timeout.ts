import { type MethodsOnly, wrapMethods } from './wrap-methods.ts';

interface TimeoutOptions<T> {
  timeoutMs: number;
  /** After a timeout, calls fail at once for this long instead of waiting as well. */
  failFastMs: number;
  error(): Error;
  /** Methods that are called as they are. */
  except: readonly (keyof T)[];
}

/** The same object, whose calls are rejected when they take too long. Every method but the exceptions becomes async. */
export function withTimeout<T extends MethodsOnly<T>>(target: T, options: TimeoutOptions<T>): T {
  const { timeoutMs, failFastMs, error, except } = options;
  let failFastUntil = 0;
  const limited = async (call: () => unknown): Promise<unknown> => {
    if (performance.now() < failFastUntil) throw error();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        failFastUntil = performance.now() + failFastMs;
        reject(error());
      }, timeoutMs);
    });
    try {
      return await Promise.race([call(), timeout]);
    } finally {
      clearTimeout(timer);
    }
  };
  return wrapMethods(target, <R>(call: () => R, name: keyof T) =>
    except.includes(name) ? call() : (limited(call) as R),
  );
}
