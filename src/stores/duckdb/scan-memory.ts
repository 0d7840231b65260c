import type { DuckDBConnection } from '@duckdb/node-api';

/**
 * What the engine may take while most of its file is read. Whatever it has read stays in memory up to its limit, though
 * the operating system has it, too: reading it again from there costs a twentieth of a second for ten million events.
 */
const SCAN_LIMIT_MB = 80;
/** How long the limit stays low after a scan: the next one mostly follows soon, and each change gives memory back. */
const RESTORE_AFTER_MS = 5000;

/** Lowers the engine's memory limit for large scans, and restores it. The limit is one for all connections. */
export class ScanMemory {
  readonly #connection: DuckDBConnection;
  readonly #usual: string;
  #isLow = false;
  /** How often it was lowered. */
  #lowered = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Changes are made one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(connection: DuckDBConnection, usual: string) {
    this.#connection = connection;
    this.#usual = usual;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** Tells later whether the limit was low at any time since. */
  watch(): () => boolean {
    const before = this.#isLow ? this.#lowered - 1 : this.#lowered;
    return () => this.#lowered > before;
  }

  async lower(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isLow || megabytesOf(this.#usual) <= SCAN_LIMIT_MB) return;
    this.#isLow = true;
    this.#lowered++;
    await this.#set(`${SCAN_LIMIT_MB}MB`);
  }

  restoreLater(): void {
    clearTimeout(this.#timer);
    if (this.#isLow) this.#timer = setTimeout(() => void this.restore(), RESTORE_AFTER_MS).unref();
  }

  async restore(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#isLow) return;
    this.#isLow = false;
    await this.#set(this.#usual);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#changes;
    this.#connection.closeSync();
  }

  /** The engine refuses a limit below what is in use; then it stays as it was. */
  #set(limit: string): Promise<unknown> {
    const change = async (): Promise<void> => {
      await this.#connection.run(`set global memory_limit = '${limit}'`).catch(() => undefined);
    };
    this.#changes = this.#changes.then(change);
    return this.#changes;
  }
}

/** 0 if it is written in another way: then nothing is known about it. */
function megabytesOf(limit: string): number {
  const [, number = '0', unit = 'MB'] = /^(\d+)(MB|GB)$/.exec(limit) ?? [];
  return Number(number) * (unit === 'GB' ? 1000 : 1);
}
