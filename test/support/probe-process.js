/**
 * Sends the same small request over and over, from a process of its own, so that what the test itself does (such as
 * sending the bodies of an attack) is not measured. Plain JavaScript: Node 20 cannot start a process from TypeScript.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';

try {
  // What else the machine is busy with should not be measured. Only some may do that.
  setPriority(0, -15);
} catch {}

const { url, method, body, headers, intervalMs, pid } = JSON.parse(process.argv[2]);

/** What Linux knows of a thread, ms: on a processor, and ready but waiting for one. */
function timesOf(id) {
  try {
    const [running = 0, waiting = 0] = readFileSync(`/proc/${id}/schedstat`, 'latin1')
      .split(' ')
      .map((ns) => ns / 1e6);
    return { running, waiting };
  } catch {
    return { running: 0, waiting: 0 };
  }
}

/**
 * How long an answer took, without the time in which the machine was busy with something else; at least as long as the
 * server's main thread has worked meanwhile.
 */
function startClock() {
  const [start, server, own] = [performance.now(), timesOf(pid), timesOf('self')];
  return () => {
    const starved = timesOf(pid).waiting - server.waiting + timesOf('self').waiting - own.waiting;
    return Math.max(timesOf(pid).running - server.running, performance.now() - start - starved);
  };
}

const agent = new Agent({ keepAlive: true });
const waits = [];
const statuses = {};
let isStopped = false;

process.once('message', () => {
  isStopped = true;
});
process.send('started');

function probe() {
  return new Promise((resolve) => {
    const elapsed = startClock();
    const done = (status) => {
      waits.push(elapsed());
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
process.send({ waits, statuses }, () => process.disconnect());
