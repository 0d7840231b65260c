/**
 * For the few hot paths that nearly always find everything in memory: there, awaiting a value costs as much as the work.
 * Use `async` everywhere else.
 */
export type MaybePromise<T> = T | Promise<T>;

/** `next(value)`: synchronously unless the value is a promise. */
export const chain = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
