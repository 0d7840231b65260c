/** Reads server-sent events, one by one. */
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export interface ReceivedEvent {
  id: string | null;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent freely, and assert what they find
  data: any;
}

export interface EventSource {
  status: number;
  headers: IncomingHttpHeaders;
  /** All that came, as text. */
  text(): string;
  /** The next one; rejects when the stream ends before, or after five seconds. */
  next(): Promise<ReceivedEvent>;
  /** How many came and were not taken. */
  waiting(): number;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

export async function listen(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSource> {
  const call = request(new URL(path, url), { headers: { accept: 'text/event-stream', ...headers }, agent: false });
  call.end();
  return read(
    call,
    await new Promise<IncomingMessage>((resolve, reject) => call.on('response', resolve).on('error', reject)),
  );
}

function read(call: ClientRequest, response: IncomingMessage): EventSource {
  const events: ReceivedEvent[] = [];
  let text = '';
  let rest = '';
  let wake = (): void => undefined;
  let isEnded = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    events.push(...blocks.map(parseBlock).filter((one) => one !== null));
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      isEnded = true;
      wake();
      resolve();
    };
    response.on('end', end).on('error', end);
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    waiting: () => events.length,
    ended,
    close: () => call.destroy(),
    async next() {
      const deadline = performance.now() + 5000;
      for (;;) {
        const event = events.shift();
        if (event !== undefined) return event;
        if (isEnded) throw new Error(`The stream ended: ${text}`);
        const left = deadline - performance.now();
        if (left <= 0) throw new Error(`Nothing came: ${text}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, left);
        });
      }
    },
  };
}

/** Null for comments and for `retry` alone. */
function parseBlock(block: string): ReceivedEvent | null {
  const field = (name: string): string | null =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const data = field('data');
  return data === null ? null : { id: field('id'), event: field('event') ?? 'message', data: JSON.parse(data) };
}
