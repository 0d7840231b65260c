/**
 * Takes the connection of a request over, for responses that stay open for hours. The objects of the request and the
 * response are let go, which are most of what an open response takes in memory; what is written goes to the socket as it
 * is. The response ends with the connection, so that it needs no framing and old proxies understand it.
 */
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { refuseHead } from './head-requests.ts';

/** What the next request on this connection would be read with. */
const READERS = ['data', 'drain', 'end', 'timeout'];

interface TakenSocket {
  socket: Socket;
  /** Status line and headers, to be written first. */
  head: string;
}

/** A client may have sent a second request before it got the answer to the first: it gets none. */
const taken = new WeakSet<Socket>();

/** Headers that were set before, such as those for other origins, are kept. Null: there is nobody to answer. */
export function takeSocket(reply: FastifyReply, headers: Readonly<Record<string, string>>): TakenSocket | null {
  const { raw, request } = reply;
  const { socket } = request.raw;
  refuseHead(request.raw);
  reply.hijack();
  if (socket.destroyed || raw.socket === null || taken.has(socket)) return null;
  taken.add(socket);
  const all = { ...reply.getHeaders(), ...headers, connection: 'close' };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${one}\r\n`),
  );
  // To Node and the framework the response is complete and the connection idle: they let go of both.
  raw.emit('finish');
  for (const name of READERS) socket.removeAllListeners(name);
  socket.setTimeout(0);
  // What the client still sends is no request, and is not kept. When it leaves in the middle of a write, 'close' follows.
  socket.on('data', () => undefined);
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined);
  return { socket, head: `HTTP/1.1 200 OK\r\n${lines.join('')}\r\n` };
}
