/** The URL holds the whole state of a view, so that every view can be shared and navigated back to. */
import { useEffect, useState } from 'preact/hooks';

interface PageLocation {
  path: string;
  query: URLSearchParams;
}

const read = (): PageLocation => ({ path: location.pathname, query: new URLSearchParams(location.search) });

let current = read();
const listeners = new Set<(location: PageLocation) => void>();

function update(): void {
  current = read();
  for (const listener of listeners) listener(current);
}
addEventListener('popstate', update);

/** `replace`: without a new entry in the browser's history. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to);
  update();
}

/** Changes query parameters; null removes one. */
export function changeQuery(changes: Readonly<Record<string, string | null>>, options?: { replace?: boolean }): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(location.pathname + (text === '' ? '' : `?${text}`), options);
}

export function useLocation(): PageLocation {
  const [shown, setShown] = useState(current);
  useEffect(() => {
    listeners.add(setShown);
    // It may have changed since the first render.
    setShown(current);
    return () => void listeners.delete(setShown);
  }, []);
  return shown;
}
