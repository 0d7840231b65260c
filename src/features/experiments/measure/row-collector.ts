import { inBatches } from '../../../lib/in-batches.ts';
import type { ColumnTable, UuidWords } from '../../../stores/events/event-store.ts';
import { joinUuids } from '../../../stores/events/uuid-column.ts';
import { ROW_BATCH_SIZE } from '../../insights/shared/actor-rows.ts';
import type { ExperimentRows, ExposureRows } from './experiment-rows.ts';
import type { Reading } from './reading.ts';
import { RowBlocks, type RowColumns } from './row-blocks.ts';

/** Puts rows into blocks as they are read. */
export class RowCollector {
  readonly #reading: Reading;
  readonly #blocks: RowBlocks;
  readonly #uuids: UuidWords[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#blocks = new RowBlocks(reading.plan, reading.encoding, reading.hasTies);
  }

  /** Some rows, with or without the numbers of the plan. */
  add(table: ColumnTable, hasNumbers: boolean): void {
    this.#blocks.add(this.#columnsOf(table, hasNumbers));
    if (this.#reading.hasTies) this.#uuids.push(copyOf(table.uuids('uuid').words));
  }

  /** All rows, with pauses. */
  async addAll(table: ColumnTable): Promise<void> {
    const columns = this.#columnsOf(table, true);
    await inBatches(table.rowCount, ROW_BATCH_SIZE, (from, to) => this.#blocks.add(columns, from, to));
    if (this.#reading.hasTies) this.#uuids.push(table.uuids('uuid').words);
  }

  #columnsOf(table: ColumnTable, hasNumbers: boolean): RowColumns {
    const count = hasNumbers ? this.#reading.plan.numbers.size : 0;
    const numbers = Array.from({ length: count }, (_, at) => table.doubles(`number${at}`));
    return { actor: table.integers('actor'), key: table.doubles('key'), numbers };
  }

  rows(exposures: ExposureRows): ExperimentRows {
    const { plan, encoding } = this.#reading;
    const blocks = this.#blocks;
    const uuids = joinUuids(this.#uuids);
    return {
      actors: exposures.actor.reduce((most, who) => Math.max(most, who + 1), blocks.actors),
      exposures,
      blocks,
      tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
      encoding,
      plan,
    };
  }
}

const copyOf = ({ words, ...halves }: UuidWords): UuidWords => ({ words: words.slice(), ...halves });
