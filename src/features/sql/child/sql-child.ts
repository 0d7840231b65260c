/**
 * A process of its own for statements of users. It has an empty environment and opens one copy of one project's data,
 * read-only. The server ends it after its time, and it ends itself beyond its memory.
 */
import { Socket } from 'node:net';
import { SqlRefusal } from '../rules/refusal.ts';
import { type OpenCopy, openCopy } from './open-copy.ts';
import type { ChildLimits, SqlRequest, SqlResponse } from './protocol.ts';
import { packResponse, RESPONSE_FD } from './response-pipe.ts';
import { forgetStatements, runStatement } from './run-statement.ts';

const MEMORY_CHECK_MS = 20;
/** The server takes it for a statement that needs too much memory. */
const OUT_OF_MEMORY = 77;

const limits = JSON.parse(process.argv[2] ?? '{}') as ChildLimits;
let open: { path: string | null; copy: OpenCopy } | null = null;

setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentMb * 1024 * 1024) process.exit(OUT_OF_MEMORY);
}, MEMORY_CHECK_MS);
const responses = new Socket({ fd: RESPONSE_FD, readable: false, writable: true });
// The server is gone.
process.on('disconnect', () => process.exit(0));
process.on('message', (request: SqlRequest) => void answer(request));
responses.write(packResponse({ isReady: true }));

async function answer(request: SqlRequest): Promise<void> {
  responses.write(packResponse(await run(request)));
}

async function run(request: SqlRequest): Promise<SqlResponse> {
  const { id, path } = request;
  try {
    if (open?.path !== path) {
      if (open !== null) {
        forgetStatements(open.copy.connection);
        open.copy.close();
      }
      open = null;
      open = { path, copy: await openCopy(path, limits) };
    }
    return { id, answer: await runStatement(open.copy.connection, request) };
  } catch (error) {
    if (error instanceof SqlRefusal) {
      const { code, message, position } = error;
      return { id, refusal: { code, message, position } };
    }
    return { id, fault: (error as Error).message };
  }
}
