/** The time, for texts that change with it. One timer serves the whole page, and stops when it is not needed. */
import { useEffect, useState } from 'preact/hooks';

/** Relative times are exact to a second at first, and to a minute later; this is often enough for both. */
const TICK_MS = 5000;

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: (now: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    const now = Date.now();
    for (const one of listeners) one(now);
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => subscribe(setNow), []);
  // A new time may be later than the last tick: it is never in the future because of that.
  return Math.max(now, Date.now());
}
