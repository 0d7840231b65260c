/** The stream of events as they are stored. */

import { readMe } from './account.ts';
import type { LiveEvent } from './events.ts';
import { projectPath, type Query, withQuery } from './request.ts';

export interface LiveHandlers {
  onEvent(event: LiveEvent): void;
  /** So many were passed over because there were too many to show. */
  onMissed(count: number): void;
  /** False while the connection is being made again. After each true, look for what came in between. */
  onConnected(isConnected: boolean): void;
}

const AGAIN_AFTER_MS = 3000;

/**
 * Watches until the function that is returned is called. While nobody looks at the page it rests: browsers allow few
 * connections to one server, and tabs in the background would take them all.
 */
export function watchEvents(projectId: number, query: Query, handlers: LiveHandlers): () => void {
  const address = withQuery(projectPath(projectId, 'events', 'live'), query);
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = (): void => {
    close();
    source = new EventSource(address);
    source.onopen = () => handlers.onConnected(true);
    source.onerror = onError;
    source.onmessage = ({ data }: MessageEvent<string>) => handlers.onEvent(JSON.parse(data) as LiveEvent);
    source.addEventListener('dropped', ({ data }: MessageEvent<string>) =>
      handlers.onMissed((JSON.parse(data) as { count: number }).count),
    );
  };
  /** A lost connection the browser makes again by itself; one that was refused it gives up. */
  const onError = (): void => {
    handlers.onConnected(false);
    if (source?.readyState !== EventSource.CLOSED) return;
    // A stream does not say why it was refused. If the session has ended, this is answered with 401, and all is said.
    readMe().catch(() => undefined);
    timer = setTimeout(open, AGAIN_AFTER_MS);
  };
  const onVisibility = (): void => {
    if (document.visibilityState === 'visible') open();
    else close();
  };
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}
