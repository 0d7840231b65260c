/**
 * A value that is there, or will be. For the few paths that are walked tens of thousands of times a second and nearly
 * always find everything in memory: there, waiting for what is there already costs as much as the work. Everywhere else,
 * `async` is the better word.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value: at once if it is there. */
export const chain = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
