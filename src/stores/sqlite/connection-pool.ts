/** A few connections, each used by one caller at a time; callers wait while all are in use. */

/** Each has its own cache. */
const MAX_CONNECTIONS = 4;

interface Connection {
  database: { close(): unknown };
}

export class ConnectionPool<C extends Connection> {
  readonly #open: () => C;
  readonly #free: C[] = [];
  readonly #waiting: ((connection: C) => void)[] = [];
  #opened = 0;
  #isClosed = false;

  constructor(open: () => C) {
    this.#open = open;
  }

  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Connections in use are closed when they are released. */
  close(): void {
    this.#isClosed = true;
    for (const { database } of this.#free.splice(0)) database.close();
  }

  async #acquire(): Promise<C> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const free = this.#free.pop();
    if (free) return free;
    if (this.#opened >= MAX_CONNECTIONS) return new Promise((resolve) => this.#waiting.push(resolve));
    const opened = this.#open();
    this.#opened++;
    return opened;
  }

  #release(connection: C): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else if (this.#isClosed) connection.database.close();
    else this.#free.push(connection);
  }
}
