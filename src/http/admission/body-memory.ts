/**
 * The memory of all request bodies together. When there is not enough, the body that has been waiting longest for its
 * next bytes is given up: so those who send slowly on purpose cannot keep out those who send.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  /** Bodies that are still arriving, the one with the oldest bytes first. */
  readonly #arriving = new Set<Body>();
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  open(): Body {
    return new Body(this);
  }

  /** False where there is no room for these bytes, whoever is given up. */
  add(body: Body, bytes: number): boolean {
    this.bytes += bytes;
    this.#arriving.delete(body);
    this.#arriving.add(body);
    for (const slowest of this.#arriving) {
      if (this.bytes <= this.#maxBytes) return true;
      if (slowest === body) return false;
      slowest.evict();
    }
    return this.bytes <= this.#maxBytes;
  }

  /** It is complete, and cannot be given up any more. */
  keep(body: Body): void {
    this.#arriving.delete(body);
  }

  release(body: Body): void {
    this.#arriving.delete(body);
    this.bytes -= body.bytes;
  }
}

export class Body {
  readonly #memory: BodyMemory;
  #isReleased = false;
  bytes = 0;
  onEvicted: () => void = () => undefined;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** False where there is no memory left for it. */
  add(bytes: number): boolean {
    this.bytes += bytes;
    return this.#memory.add(this, bytes);
  }

  keep(): void {
    this.#memory.keep(this);
  }

  evict(): void {
    this.release();
    this.onEvicted();
  }

  /** Once; further calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#memory.release(this);
  }
}
