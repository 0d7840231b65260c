/** Messages between nodes by NOTIFY and LISTEN, over a separate connection that reconnects when lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { MessageChannel, NodeMessage } from '../cluster/node-messages.ts';
import { loadPg } from './pool.ts';

const CHANNEL = 'cairn';
const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 3000;
/** An idle connection is probed from time to time. */
const PROBE_INTERVAL_MS = 5000;
const PROBE_TIMEOUT_MS = 4000;

export async function openMessageChannel(url: string): Promise<MessageChannel> {
  const channel = new PostgresMessageChannel(url);
  await channel.connect();
  return channel;
}

class PostgresMessageChannel implements MessageChannel {
  readonly #url: string;
  readonly #listeners: ((message: NodeMessage) => void)[] = [];
  readonly #reconnectListeners: (() => void)[] = [];
  #client: pg.Client | null = null;
  #probeTimer: NodeJS.Timeout | null = null;
  #lastQuery: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  send(message: NodeMessage): void {
    this.#query({ text: `select pg_notify('${CHANNEL}', $1)`, values: [JSON.stringify(message)] }).catch(
      () => undefined,
    );
  }

  /** One after the other, on the current connection. */
  #query(config: pg.QueryConfig): Promise<unknown> {
    const query = this.#lastQuery.then(() => this.#client?.query(config));
    this.#lastQuery = query.catch(() => undefined);
    return query;
  }

  onMessage(listener: (message: NodeMessage) => void): void {
    this.#listeners.push(listener);
  }

  onReconnect(listener: () => void): void {
    this.#reconnectListeners.push(listener);
  }

  async connect(): Promise<void> {
    const { Client } = await loadPg();
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'cairn messages',
    });
    client.on('notification', ({ payload = '' }) => this.#dispatch(payload));
    client.on('error', () => undefined);
    await client.connect();
    client.once('end', () => this.#lost(client));
    await client.query(`listen ${CHANNEL}`);
    this.#client = client;
    this.#probeTimer = setInterval(() => this.#probe(client), PROBE_INTERVAL_MS);
    this.#probeTimer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#probeTimer) clearInterval(this.#probeTimer);
    await this.#client?.end().catch(() => undefined);
  }

  #dispatch(payload: string): void {
    const message = JSON.parse(payload) as NodeMessage;
    for (const listener of this.#listeners) listener(message);
  }

  #probe(client: pg.Client): void {
    const config = { text: 'select 1', query_timeout: PROBE_TIMEOUT_MS };
    // Ends a connection that hangs, which triggers the reconnect.
    this.#query(config as pg.QueryConfig).catch(() => void client.end().catch(() => undefined));
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    if (this.#probeTimer) clearInterval(this.#probeTimer);
    if (!this.#closed) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let pauseMs = MIN_RECONNECT_DELAY_MS; !this.#closed; pauseMs = Math.min(pauseMs * 2, MAX_RECONNECT_DELAY_MS)) {
      try {
        await this.connect();
        for (const listener of this.#reconnectListeners) listener();
        return;
      } catch {
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }
}
