/**
 * What `make` returns, made when it is first asked for. For formats of `Intl` above all: the first one takes 30 ms, and
 * 8 MB of pages of Node's file, which a start need not wait for.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
