/**
 * HTTP for operators, on a socket in the data folder. Whoever can open that folder may run any operation: file permissions
 * are the only authorization. It takes no paths; files are written by the command, with the rights of its user.
 *
 * `POST /run/<operation>` with arguments as JSON. The response is a stream of frames: `p` progress, `d` bytes, and at the
 * end `r` the result or `e` an error.
 */

import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { Logger } from '../../lib/log.ts';
import { serializeError } from '../../lib/rpc.ts';
import { VERSION } from '../../version.ts';
import type { OperationOutput } from '../operation.ts';
import { isOperation, type Operator } from '../operator.ts';
import { encodeFrame } from './frames.ts';

export interface ControlServer {
  /** Aborts running operations. */
  close(): Promise<void>;
}

/** Enough for a batch of an import. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export async function openControlServer(path: string, operator: Operator, log: Logger): Promise<ControlServer> {
  prepareFolder(dirname(path));
  // Left by a process that crashed: this one has locked the folder.
  rmSync(path, { force: true });
  const ends = new Set<AbortController>();
  const server = createServer((request, response) => {
    const end = new AbortController();
    ends.add(end);
    response.once('close', () => {
      end.abort();
      ends.delete(end);
    });
    answer(operator, request, response, end.signal).catch((err: unknown) => {
      log.warn({ err }, 'a command could not be answered');
      response.destroy();
    });
  });
  await listen(server, path);
  return {
    async close() {
      for (const end of ends) end.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // It may exist already, in a copy of the folder without permissions.
  chmodSync(folder, 0o700);
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  server.unref();
}

async function answer(
  operator: Operator,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const send = async (kind: string, payload: Uint8Array): Promise<void> => {
    if (response.write(encodeFrame(kind, payload))) return;
    await once(response, 'drain', { signal });
  };
  const say = (kind: string, value: unknown): Promise<void> => send(kind, Buffer.from(stringifyExact(value ?? null)));
  const outlet: OperationOutput = {
    progress: (now) => void say('p', now).catch(() => undefined),
    write: (chunk) => send('d', chunk),
    signal,
  };
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  try {
    await say('r', await operator.run(operationNameOf(request), parseExact(await readBody(request)), outlet));
  } catch (error) {
    if (signal.aborted) return;
    await say('e', serializeError(error));
  }
  response.end();
}

/** Versions must be equal, so that arguments mean the same. */
function operationNameOf(request: IncomingMessage) {
  const theirs = request.headers['x-cairn-version'];
  if (theirs !== VERSION) {
    throw new Error(
      `The running server is version ${VERSION}, this command is version ${theirs}. Use the command of the server's version.`,
    );
  }
  const name = /^\/run\/([a-z0-9.-]+)$/.exec(request.url ?? '')?.[1] ?? '';
  if (request.method !== 'POST' || !isOperation(name)) throw new Error(`There is no operation ${request.url}.`);
  return name;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`The arguments are larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
