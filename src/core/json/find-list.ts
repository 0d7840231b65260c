/**
 * Finds the list of events in the JSON text of a large body by scanning its bytes, a piece at a time: the body itself, or
 * the `batch` of an envelope. The list can then be parsed in runs of events, with a pause after each.
 *
 * Nothing is validated here: if each run and the text around the list are valid JSON, so is the whole, and the other way
 * round. The parser reports errors.
 */
export class ListFinder {
  readonly #json: Uint8Array;
  readonly #runBytes: number;
  #at = 0;
  #depth = 0;
  #isText = false;
  /** Whether a key of the envelope comes next, and where it starts. */
  #isNameNext = false;
  #nameAt = 0;
  #isBatch = false;
  /** The depth of the list's own commas; 0 outside of the list. */
  #listDepth = 0;
  #runAt = 0;
  /** Lists and objects opened so far. */
  containers = 0;
  /** Positions of the list's brackets; -1: not found. */
  open = -1;
  close = -1;
  /** Positions of the commas between two runs. */
  readonly separators: number[] = [];
  /** Keys with escapes, or `batch` twice: only parsing the body as a whole can tell which counts. */
  isAmbiguous = false;

  /** `runBytes`: the minimum size of a run, except for the last. */
  constructor(json: Uint8Array, runBytes: number) {
    this.#json = json;
    this.#runBytes = runBytes;
  }

  /** Scans further bytes; false at the end of the text. */
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
