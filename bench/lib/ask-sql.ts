/**
 * Asks statements again and again, as a process of its own with low priority: what reads large answers must not be what
 * the load generator waits for. Ends when its input does, and prints how many it asked by their status.
 *
 *   node scripts/run.js bench/lib/ask-sql.ts URL KEY STATEMENT…
 */
import { setPriority } from 'node:os';

const LOW_PRIORITY = 10;
const [url = '', key = '', ...statements] = process.argv.slice(2);
const stop = new AbortController();
const asked: Record<string, number> = {};

async function keepAsking(sql: string): Promise<void> {
  while (!stop.signal.aborted) {
    const response = await fetch(`${url}/api/projects/1/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking' }),
    });
    await response.arrayBuffer();
    asked[response.status] = (asked[response.status] ?? 0) + 1;
  }
}

setPriority(LOW_PRIORITY);
process.stdin.on('end', () => stop.abort()).resume();
await Promise.all(statements.map(keepAsking));
console.log(JSON.stringify(asked));
