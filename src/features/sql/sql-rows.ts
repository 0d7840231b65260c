/** Rows of an answer as JSON, one a line, so that large ones can be read piece by piece. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlAnswer } from './child/protocol.ts';

type Rows = Pick<SqlAnswer, 'rows'>;

const BATCH_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Of rows that are JSON already. */
export const joinRows = (rows: readonly string[]): Buffer => Buffer.from(`[${rows.join(',\n')}]`);

export const NO_ROWS = joinRows([]);

/** All of them, for whoever needs the values. */
export async function readRows(answer: Rows): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const batch of rowBatches(answer)) for (const row of batch) rows.push(row);
  return rows;
}

/** For any number of rows: other requests are served in between. */
export async function* rowBatches({ rows }: Rows): AsyncGenerator<unknown[][]> {
  const end = rows.length - 1;
  for (let at = 1; at < end; ) {
    const line = rows.indexOf(LINE_FEED, at + BATCH_BYTES);
    const isLast = line < 0;
    // Without the comma at the end of a line.
    yield JSON.parse(`[${rows.toString('utf8', at, isLast ? end : line - 1)}]`);
    at = isLast ? end : line + 1;
    await nextTurn();
  }
}

/** Takes as many rows at a time as its reader wants. */
export class RowReader {
  readonly #batches: AsyncIterator<unknown[][]>;
  #batch: unknown[][] = [];

  constructor(answer: Rows) {
    this.#batches = rowBatches(answer);
  }

  /** At most `max`, perhaps fewer; none once there are no more. */
  async take(max: number): Promise<unknown[][]> {
    if (this.#batch.length === 0) this.#batch = (await this.#batches.next()).value ?? [];
    return this.#batch.splice(0, max);
  }
}
