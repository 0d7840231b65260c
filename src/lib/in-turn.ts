/**
 * A function that runs once at a time. Calls during a run are answered by one more run after it, which they share: the
 * current one may have read its data before the caller's change.
 */
export function inTurn(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    next = null;
    const started = run().finally(() => {
      current = null;
    });
    current = started;
    return started;
  };
  return () => {
    // Waiting for the end of a run, even where that has come by now.
    if (next !== null) return next;
    if (current === null) return start();
    next = current.catch(() => undefined).then(start);
    return next;
  };
}
