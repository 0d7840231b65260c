/** News between nodes by NOTIFY and LISTEN, over a connection of its own that is made again whenever it is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { MessageChannel, NodeMessage } from '../cluster/node-messages.ts';

const CHANNEL = 'cairn';
const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 3000;
/** A connection that says nothing is asked now and then whether it is still there. */
const PROBE_INTERVAL_MS = 5000;
const PROBE_TIMEOUT_MS = 4000;

export async function openMessageChannel(url: string): Promise<MessageChannel> {
  const channel = new PostgresMessageChannel(url);
  await channel.connect();
  return channel;
}

class PostgresMessageChannel implements MessageChannel {
  readonly #url: string;
  readonly #hearers: ((news: NodeMessage) => void)[] = [];
  readonly #gapHearers: (() => void)[] = [];
  #client: pg.Client | null = null;
  #asking: NodeJS.Timeout | null = null;
  #lastAsked: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  send(news: NodeMessage): void {
    this.#ask({ text: `select pg_notify('${CHANNEL}', $1)`, values: [JSON.stringify(news)] }).catch(() => undefined);
  }

  /** One after the other, on the connection of that time. */
  #ask(config: pg.QueryConfig): Promise<unknown> {
    const asked = this.#lastAsked.then(() => this.#client?.query(config));
    this.#lastAsked = asked.catch(() => undefined);
    return asked;
  }

  onMessage(hear: (news: NodeMessage) => void): void {
    this.#hearers.push(hear);
  }

  onReconnect(hear: () => void): void {
    this.#gapHearers.push(hear);
  }

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'cairn news',
    });
    client.on('notification', ({ payload = '' }) => this.#tell(payload));
    client.on('error', () => undefined);
    await client.connect();
    client.once('end', () => this.#lost(client));
    await client.query(`listen ${CHANNEL}`);
    this.#client = client;
    this.#asking = setInterval(() => this.#probe(client), PROBE_INTERVAL_MS);
    this.#asking.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#asking) clearInterval(this.#asking);
    await this.#client?.end().catch(() => undefined);
  }

  #tell(payload: string): void {
    const news = JSON.parse(payload) as NodeMessage;
    for (const hear of this.#hearers) hear(news);
  }

  #probe(client: pg.Client): void {
    const config = { text: 'select 1', query_timeout: PROBE_TIMEOUT_MS };
    // One that hangs is cut, so that the end of it is heard.
    this.#ask(config as pg.QueryConfig).catch(() => void client.end().catch(() => undefined));
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    if (this.#asking) clearInterval(this.#asking);
    if (!this.#closed) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let pauseMs = MIN_RECONNECT_DELAY_MS; !this.#closed; pauseMs = Math.min(pauseMs * 2, MAX_RECONNECT_DELAY_MS)) {
      try {
        await this.connect();
        for (const hear of this.#gapHearers) hear();
        return;
      } catch {
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }
}
