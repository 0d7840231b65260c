import { packRows } from '../cluster/event-block.ts';
import type { ClickHouseConnection } from './connection.ts';

/** Key-value pairs of the store itself: positions, applied reassignments, promoted columns. */
export class StoreNotes {
  readonly #connection: ClickHouseConnection;

  constructor(connection: ClickHouseConnection) {
    this.#connection = connection;
  }

  /** By name, without deleted ones. */
  async read(prefix: string): Promise<Map<string, string>> {
    const rows = await this.#connection.queryConsistent(
      `select name, value from store_notes final where startsWith(name, $1) and value != '' order by name`,
      [prefix],
    );
    return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  async readNumber(name: string): Promise<number> {
    return Number((await this.read(name)).get(name) ?? 0);
  }

  /** All of them at once, or none. */
  async write(notes: Readonly<Record<string, string | number>>): Promise<void> {
    const rows = Object.entries(notes).map(([name, value]) => ({ name, value: String(value) }));
    await this.#connection.insert(
      'store_notes',
      packRows(rows, (row) => row),
    );
  }

  delete(...names: readonly string[]): Promise<void> {
    return this.write(Object.fromEntries(names.map((name) => [name, ''])));
  }
}
