import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { WebState } from './web-state.ts';

let loaded: ComponentType<{ state: WebState }> | null = null;

/** The outlines of all countries come after the numbers; without them the list of countries is still there. */
export function LazyMap({ state }: { state: WebState }) {
  const [, setReady] = useState(loaded !== null);
  useEffect(() => {
    if (loaded !== null) return;
    import('./world-map.tsx').then(
      ({ WorldMap }) => {
        loaded = WorldMap;
        setReady(true);
      },
      () => undefined,
    );
  }, []);
  const Loaded = loaded;
  return Loaded === null ? <div class="web-map" /> : <Loaded state={state} />;
}
