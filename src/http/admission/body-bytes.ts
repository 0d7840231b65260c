/**
 * The bytes of a body as they arrive. Once a quarter of what was announced is there, they are put in their place: to keep
 * all chunks and then copy them would take twice the memory. Not before, since anybody can announce twenty megabytes.
 */
export class BodyBytes {
  readonly #announced: number;
  #chunks: Buffer[] = [];
  #whole: Buffer | undefined;
  #length = 0;

  /** `announced`: 0 if unknown. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  add(chunk: Buffer): void {
    if (this.#whole !== undefined) chunk.copy(this.#whole, this.#length);
    else this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#whole === undefined && this.#isWorthPlacing()) this.#place();
  }

  /** All of them. They are not kept. */
  take(): Buffer {
    const all = this.#whole?.subarray(0, this.#length) ?? Buffer.concat(this.#chunks, this.#length);
    this.clear();
    return all;
  }

  clear(): void {
    this.#whole = undefined;
    this.#chunks = [];
  }

  #isWorthPlacing(): boolean {
    return this.#announced > MIN_PLACED_BYTES && this.#length * 4 > this.#announced;
  }

  #place(): void {
    const whole = Buffer.allocUnsafeSlow(this.#announced);
    let at = 0;
    for (const chunk of this.#chunks) at += chunk.copy(whole, at);
    this.#chunks = [];
    this.#whole = whole;
  }
}

const MIN_PLACED_BYTES = 1024 * 1024;
