/** A function whose calls run one after another, whether or not the former failed. */
export function inTurn(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.catch(() => undefined).then(run);
    return last;
  };
}
