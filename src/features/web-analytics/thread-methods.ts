import { leave } from '../../lib/rpc.ts';
import { type CountedRows, countPacked, type PackedRows } from './rules/count-packed.ts';

const NO_PAUSE = async (): Promise<void> => undefined;

/** What the second thread does for web analytics: pure work on columns of numbers. */
export const webThreadMethods = {
  async countPacked(rows: PackedRows): Promise<CountedRows> {
    const counted = await countPacked(rows, NO_PAUSE);
    return leave(counted, [counted.persons]);
  },
};

export type WebThreadMethods = typeof webThreadMethods;
