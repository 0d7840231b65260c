/**
 * Where the list of events lies in the JSON text of a large body, told from the bytes alone and a piece at a time: a list
 * by itself, or that of an envelope (`batch`). The text may then be parsed in runs of events, with a pause after each.
 *
 * Nothing is checked here. Text whose runs and whose surroundings are JSON is JSON as a whole, and the other way round;
 * so the parser finds whatever is wrong with it.
 */
export class ListFinder {
  readonly #json: Uint8Array;
  readonly #runBytes: number;
  #at = 0;
  #depth = 0;
  #isText = false;
  /** At the depth of an envelope's names: one is next, and where it began. */
  #isNameNext = false;
  #nameAt = 0;
  #isBatch = false;
  /** How deep the list's own commas are; 0 outside of it. */
  #listDepth = 0;
  #runAt = 0;
  /** How many lists and objects were seen to open. */
  containers = 0;
  /** Of the brackets around the list; -1: not seen. */
  open = -1;
  close = -1;
  /** Commas between two runs. */
  readonly separators: number[] = [];
  /** Names in another spelling, or twice: whoever parses it all at once knows which counts. */
  isAmbiguous = false;

  /** `runBytes`: the least that a run has, but for the last. */
  constructor(json: Uint8Array, runBytes: number) {
    this.#json = json;
    this.#runBytes = runBytes;
  }

  /** Looks at so many bytes more; false when all have been seen. */
  scan(bytes: number): boolean {
    const json = this.#json;
    const end = Math.min(json.length, this.#at + bytes);
    let isText = this.#isText;
    let i = this.#at;
    for (; i < end; i++) {
      const byte = json[i] as number;
      if (isText) {
        if (byte === BACKSLASH) {
          i++;
          if (this.#isNameNext) this.isAmbiguous = true;
        } else if (byte === QUOTE) {
          isText = false;
          if (this.#isNameNext) this.#name(i);
        }
      } else if (byte === QUOTE) {
        isText = true;
        if (this.#isNameNext) this.#nameAt = i + 1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#opens(byte, i);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#closes(i);
      else if (byte === COMMA) this.#comma(i);
    }
    this.#isText = isText;
    this.#at = i;
    return i < json.length;
  }

  #name(end: number): void {
    this.#isNameNext = false;
    this.#isBatch =
      end - this.#nameAt === BATCH.length && BATCH.every((byte, n) => this.#json[this.#nameAt + n] === byte);
    if (this.#isBatch && this.open !== -1) this.isAmbiguous = true;
  }

  #opens(byte: number, at: number): void {
    this.containers++;
    this.#depth++;
    const isList = byte === OPEN_LIST && (this.#depth === 1 || (this.#depth === 2 && this.#isBatch));
    if (this.#depth === 1 && !isList) this.#isNameNext = true;
    if (!isList || this.open !== -1) return;
    this.open = at;
    this.#listDepth = this.#depth;
    this.#runAt = at;
  }

  #closes(at: number): void {
    this.#depth--;
    if (this.#listDepth === 0 || this.#depth >= this.#listDepth) return;
    this.close = at;
    this.#listDepth = 0;
  }

  #comma(at: number): void {
    if (this.#listDepth === 0) {
      if (this.#depth === 1) this.#isNameNext = true;
    } else if (this.#depth === this.#listDepth && at - this.#runAt >= this.#runBytes) {
      this.separators.push(at);
      this.#runAt = at;
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BATCH = new TextEncoder().encode('batch');
