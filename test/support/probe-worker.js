/**
 * Sends the same small request over and over, from a thread of its own, so that what the test itself does (such as
 * compressing the bodies of an attack) is not measured. Plain JavaScript: Node 20 cannot start a thread from TypeScript.
 */
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

try {
  // Of this thread: what else the machine is busy with should not be measured. Only some may do that.
  setPriority(0, -15);
} catch {}

const { url, method, body, headers, intervalMs } = workerData;
const agent = new Agent({ keepAlive: true });
const waits = [];
const statuses = {};
let isStopped = false;

parentPort.once('message', () => {
  isStopped = true;
});

function probe() {
  return new Promise((resolve) => {
    const start = performance.now();
    const done = (status) => {
      waits.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
      resolve();
    };
    const outgoing = request(url, { method, headers, agent, timeout: 120_000 }, (response) => {
      response.resume();
      response.on('end', () => done(response.statusCode));
      response.on('error', () => done('error'));
    });
    outgoing.on('error', () => done('error'));
    outgoing.end(body);
  });
}

// At a steady pace, whether or not the last one was answered: a server that blocks for a second then counts as many slow
// answers, not as one.
const pending = new Set();
while (!isStopped) {
  const one = probe().then(() => pending.delete(one));
  pending.add(one);
  await new Promise((resolve) => setTimeout(resolve, intervalMs));
}
await Promise.all(pending);
agent.destroy();
parentPort.postMessage({ waits, statuses });
