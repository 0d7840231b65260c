/** The live stream of events as they are stored. */
import { getMe } from './accounts.ts';
import type { LiveEvent } from './events.ts';
import { projectPath, type Query, withQuery } from './request.ts';

interface LiveHandlers {
  onEvent(event: LiveEvent): void;
  /** The stream skipped this many events because they came too fast. */
  onSkipped(count: number): void;
  /** False while reconnecting. After each true, reload: events may have been missed. */
  onConnected(isConnected: boolean): void;
}

const RECONNECT_MS = 3000;

/**
 * Streams until the returned function is called. Hidden tabs disconnect, because browsers allow few connections per
 * server.
 */
export function watchEvents(projectId: number, query: Query, handlers: LiveHandlers): () => void {
  const url = withQuery(projectPath(projectId, 'events', 'live'), query);
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = (): void => {
    close();
    source = new EventSource(url);
    source.onopen = () => handlers.onConnected(true);
    source.onerror = onError;
    source.onmessage = ({ data }: MessageEvent<string>) => handlers.onEvent(JSON.parse(data) as LiveEvent);
    source.addEventListener('dropped', ({ data }: MessageEvent<string>) =>
      handlers.onSkipped((JSON.parse(data) as { count: number }).count),
    );
  };
  /** The browser reconnects by itself after a lost connection, but gives up on a rejected one. */
  const onError = (): void => {
    handlers.onConnected(false);
    if (source?.readyState !== EventSource.CLOSED) return;
    // A stream does not say why it was rejected. If the session has expired, this request gets the 401.
    getMe().catch(() => undefined);
    timer = setTimeout(open, RECONNECT_MS);
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
