/**
 * A process of its own for statements of users. It has an empty environment and opens one copy of one project's data,
 * read-only. The server has it killed after its time, and it ends itself beyond its memory.
 */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { SqlRefusal } from '../rules/refusal.ts';
import { packResponse, RequestReader } from './messages.ts';
import { type OpenCopy, openCopy } from './open-copy.ts';
import { type ChildArguments, OUT_OF_MEMORY, type SqlRequest, type SqlResponse } from './protocol.ts';
import { forgetStatements, runStatement } from './run-statement.ts';

const CHECK_MS = 20;

const { limits, socket, process: id } = JSON.parse(process.argv[2] ?? '{}') as ChildArguments;
let open: { path: string | null; copy: OpenCopy } | null = null;
/** When the statement that is running began; null: none is. */
let began: NodeJS.CpuUsage | null = null;
let hasYielded = false;

setInterval(() => {
  if (process.memoryUsage.rss() > limits.residentMb * 1024 * 1024) process.exit(OUT_OF_MEMORY);
  if (began !== null && !hasYielded && isLong(process.cpuUsage(began))) yieldToAll();
}, CHECK_MS);
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
  began = process.cpuUsage();
  const response = packResponse(await run(request));
  began = null;
  // A lower priority is for good, and the next statement may be a short one: it gets another process.
  if (hasYielded) server.end(response);
  else server.write(response);
}

const isLong = ({ user, system }: NodeJS.CpuUsage): boolean => user + system > limits.longMs * 1000;

/** The lowest priority: from now on it only has the time that nothing else wants. */
function yieldToAll(): void {
  hasYielded = true;
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended, or that is not allowed here; the time limit holds anyway.
    }
  }
}

/** On Linux each thread has its own priority; elsewhere they have that of the process. */
const threads = (): number[] => (process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]);

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
