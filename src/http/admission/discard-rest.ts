/**
 * An error is often answered before the body has arrived. If the connection were closed then, most clients would fail to
 * write and never read the answer; SDKs would retry the whole batch instead of halving it. So the rest of the body is read
 * and discarded, up to a limit; then the connection is usable again, or closed if the client wants that.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ReadTurns } from './read-turns.ts';

interface DiscardLimits {
  maxBytes: number;
  maxMs: number;
}

const CHECK_INTERVAL_MS = 100;

export function discardRestAfterResponse(server: Server, turns: ReadTurns, limits: DiscardLimits): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (hasNoBody(request)) return;
    response.once('finish', () => {
      if (!request.complete) discardRest(request, turns, limits);
    });
  });
}

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

function discardRest(request: IncomingMessage, turns: ReadTurns, { maxBytes, maxMs }: DiscardLimits): void {
  const { socket } = request;
  const [since, start] = [performance.now(), socket.bytesRead];
  // Where the client wants it closed, Node has just ended it (`destroySoon`) and would stop reading.
  const isEnding = socket.writableEnded;
  socket.off('finish', socket.destroy);
  request.removeAllListeners('data').on('error', () => undefined);
  request.on('data', (chunk: Buffer) => turns.onRead(request, chunk.length));
  request.resume();
  const timer = setInterval(() => {
    const isOverdue = performance.now() - since > maxMs || socket.bytesRead - start > maxBytes;
    if (isOverdue || (isEnding && request.complete)) socket.destroy();
    if (isOverdue || request.complete || socket.destroyed) clearInterval(timer);
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
