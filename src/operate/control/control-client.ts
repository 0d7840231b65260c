/** Runs operations in the server that has the data folder open. */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import { deserializeError } from '../../lib/rpc.ts';
import { VERSION } from '../../version.ts';
import type { OperationOutput } from '../operation.ts';
import type { Operator } from '../operator.ts';
import { decodeFrames } from './frames.ts';

const NOT_RUNNING_CODES = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

/** Null if no server is running. */
export async function findOperator(path: string): Promise<Operator | null> {
  const operator = operatorAt(path);
  try {
    await operator.run('ping', {});
    return operator;
  } catch (error) {
    if (NOT_RUNNING_CODES.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

const operatorAt = (path: string): Operator => ({
  async run(name, args, outlet = {}) {
    try {
      const response = await post(path, `/run/${name}`, stringifyExact(args), outlet.signal);
      return (await readResponse(response, outlet)) as never;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? connectionLost() : error;
    }
  },
});

async function post(socketPath: string, path: string, body: string, signal?: AbortSignal): Promise<IncomingMessage> {
  const sent = request({
    socketPath,
    path,
    // A kept-alive connection would keep the process from ending.
    agent: false,
    method: 'POST',
    headers: { 'x-cairn-version': VERSION, 'content-type': 'application/json' },
    ...(signal && { signal }),
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function readResponse(response: IncomingMessage, outlet: Partial<OperationOutput>): Promise<unknown> {
  for await (const { kind, payload } of decodeFrames(response)) {
    if (kind === 'd') await outlet.write?.(payload);
    else if (kind === 'p') outlet.progress?.(JSON.parse(payload.toString('utf8')));
    else if (kind === 'r') return parseExact(payload.toString('utf8'));
    else throw deserializeError(JSON.parse(payload.toString('utf8')));
  }
  throw connectionLost();
}

const connectionLost = (): Error =>
  new Error('The server stopped before the command was done. See its log, then run the command again.');
