/** Where the console is, kept in the address and nowhere else, so that every view can be shared and gone back to. */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

let place = read();
const watchers = new Set<(place: Place) => void>();

function tell(): void {
  place = read();
  for (const watcher of watchers) watcher(place);
}
addEventListener('popstate', tell);

/** `replace`: without a step to go back to. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to);
  tell();
}

/** Changes some parameters of the query; null takes one away. */
export function changeQuery(changes: Readonly<Record<string, string | null>>, options?: { replace?: boolean }): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(location.pathname + (text === '' ? '' : `?${text}`), options);
}

export function usePlace(): Place {
  const [current, setCurrent] = useState(place);
  useEffect(() => {
    watchers.add(setCurrent);
    // It may have changed between the first drawing and now.
    setCurrent(place);
    return () => void watchers.delete(setCurrent);
  }, []);
  return current;
}
