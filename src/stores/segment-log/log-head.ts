/**
 * How far the log is on disk, for readers in other threads: they read only what would survive a power cut. Otherwise an
 * entry could be processed that a crash then takes away, and its number be given again.
 */
export class LogHead {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#numbers = new BigInt64Array(memory);
  }

  /** The newest entry on disk. */
  get head(): number {
    return this.#get(0);
  }
  set head(seq: number) {
    this.#set(0, seq);
  }

  /** Entries up to here are trimmed. */
  get trimmed(): number {
    return this.#get(1);
  }
  set trimmed(seq: number) {
    this.#set(1, seq);
  }

  /** The first entry of the segment that is being written. It is set before `head` reaches it: read it after `head`. */
  get active(): number {
    return this.#get(2);
  }
  set active(seq: number) {
    this.#set(2, seq);
  }

  #get(index: number): number {
    return Number(Atomics.load(this.#numbers, index));
  }

  #set(index: number, value: number): void {
    Atomics.store(this.#numbers, index, BigInt(value));
  }
}
