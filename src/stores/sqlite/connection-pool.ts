/** A few connections, each for one user at a time; whoever comes when all are taken waits. */

/** Each has a cache of its own, and there are two cores at the least. */
const MAX_CONNECTIONS = 4;

interface Connection {
  database: { close(): unknown };
}

export class ConnectionPool<C extends Connection> {
  readonly #open: () => C;
  readonly #free: C[] = [];
  readonly #waiting: ((connection: C) => void)[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(open: () => C) {
    this.#open = open;
  }

  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  /** Those in use are closed when they are given back. */
  close(): void {
    this.#isClosed = true;
    for (const { database } of this.#free.splice(0)) database.close();
  }

  async #take(): Promise<C> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const free = this.#free.pop();
    if (free) return free;
    if (this.#taken >= MAX_CONNECTIONS) return new Promise((resolve) => this.#waiting.push(resolve));
    const opened = this.#open();
    this.#taken++;
    return opened;
  }

  #giveBack(connection: C): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else if (this.#isClosed) connection.database.close();
    else this.#free.push(connection);
  }
}
