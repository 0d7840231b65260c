/**
 * A process of its own for statements of users. It has an empty environment and opens one copy of one project's data,
 * read-only. The server has it killed after its time, and it ends itself beyond its memory.
 */
import { connect } from 'node:net';
import { SqlRefusal } from '../rules/refusal.ts';
import { packResponse, RequestReader } from './messages.ts';
import { type OpenCopy, openCopy } from './open-copy.ts';
import { type ChildArguments, OUT_OF_MEMORY, type SqlRequest, type SqlResponse } from './protocol.ts';
import { forgetStatements, runStatement } from './run-statement.ts';

const MEMORY_CHECK_MS = 20;

const { limits, socket, process: id } = JSON.parse(process.argv[2] ?? '{}') as ChildArguments;
let open: { path: string | null; copy: OpenCopy } | null = null;

setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentMb * 1024 * 1024) process.exit(OUT_OF_MEMORY);
}, MEMORY_CHECK_MS);
const requests = new RequestReader();
const server = connect(socket, () => server.write(packResponse({ readyProcess: id })));
server.on('data', (piece) => {
  const request = requests.add(piece);
  if (request !== null) void answer(request);
});
server.on('error', () => process.exit(0));
// The server is gone.
server.on('close', () => process.exit(0));

async function answer(request: SqlRequest): Promise<void> {
  server.write(packResponse(await run(request)));
}

async function run(request: SqlRequest): Promise<SqlResponse> {
  const { path, earlier = null } = request;
  try {
    if (open?.path !== path) {
      if (open !== null) {
        forgetStatements(open.copy.connection);
        open.copy.close();
      }
      open = null;
      open = { path, copy: await openCopy({ path, earlier }, limits) };
    }
    return { answer: await runStatement(open.copy.connection, request) };
  } catch (error) {
    if (error instanceof SqlRefusal) {
      const { code, message, position } = error;
      return { refusal: { code, message, position } };
    }
    return { fault: (error as Error).message };
  }
}
