import type { UuidColumn } from './event-store.ts';

/** UUIDs as two 64-bit halves. */
export class UuidHalves implements UuidColumn {
  readonly #high: (row: number) => bigint;
  readonly #low: (row: number) => bigint;

  constructor(high: (row: number) => bigint, low: (row: number) => bigint) {
    this.#high = high;
    this.#low = low;
  }

  textAt(row: number): string {
    const hex = (this.#high(row).toString(16).padStart(16, '0') + this.#low(row).toString(16).padStart(16, '0')).match(
      /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
    );
    return (hex ?? []).slice(1).join('-');
  }

  compare(a: number, b: number): number {
    return order(this.#high(a), this.#high(b)) || order(this.#low(a), this.#low(b));
  }
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
