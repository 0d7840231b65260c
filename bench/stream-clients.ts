/** Clients of `bench:streams` in a process of their own: opens streams, and tells when each of them heard of a version. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Milliseconds since 1970, the same in all processes of the machine. */
const now = (): number => performance.timeOrigin + performance.now();

const PARALLEL = 50;
const heard: number[] = [];

async function openStream(url: URL, path: string, key: string): Promise<void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\naccept: text/event-stream\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
  let text = String((await once(socket, 'data'))[0]);
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(text);
  while (!text.includes('event: version')) text += String((await once(socket, 'data'))[0]);
  socket.on('data', (chunk: Buffer) => {
    if (chunk.includes('event: version')) heard.push(now());
  });
}

process.on('message', async ({ open, url, path, key }: { open?: number; url: string; path: string; key: string }) => {
  if (open === undefined) return process.send?.(heard.splice(0));
  for (let left = open; left > 0; left -= PARALLEL) {
    await Promise.all(Array.from({ length: Math.min(left, PARALLEL) }, () => openStream(new URL(url), path, key)));
  }
  process.send?.([]);
});
