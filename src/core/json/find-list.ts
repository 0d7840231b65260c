/**
 * Finds the list of events in the JSON text of a large body by scanning its bytes, a piece at a time: the body itself, or
 * the `batch` of an envelope. The list can then be parsed in runs of events, with a pause after each.
 *
 * Nothing is validated here: if each run and the text around the list are valid JSON, so is the whole, and the other way
 * round. The parser reports errors.
 */
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-characters.ts';
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
  /** Items of lists and members of objects so far, and how many of them are in the list. */
  values = 0;
  listValues = 0;
  keys = 0;
  /** Items of the list so far. */
  items = 0;
  /** Items that are larger than the limits. */
  readonly oversized: OversizedItem[] = [];
  #valuesBefore = 0;
  #itemAt = 0;
  #itemKeys = 0;
  #itemValues = 0;
  /** Positions of the list's brackets; -1: not found. */
  open = -1;
  close = -1;
  /** Positions of the commas between two runs. */
  readonly separators: number[] = [];
  /** Keys with escapes, or `batch` twice: only parsing the body as a whole can tell which counts. */
  isAmbiguous = false;

  readonly #limits: ItemLimits;

  /** `runBytes`: the minimum size of a run, except for the last. */
  constructor(json: Uint8Array, runBytes: number, limits: ItemLimits) {
    this.#json = json;
    this.#runBytes = runBytes;
    this.#limits = limits;
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
      else if (byte === COLON) this.keys++;
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
    this.values++;
    this.#depth++;
    const isList = byte === OPEN_LIST && (this.#depth === 1 || (this.#depth === 2 && this.#isBatch));
    if (this.#depth === 1 && !isList) this.#isNameNext = true;
    if (!isList || this.open !== -1) return;
    this.open = at;
    this.#valuesBefore = this.values;
    this.#listDepth = this.#depth;
    this.#runAt = at;
    this.#beginItem(at);
  }

  #closes(at: number): void {
    this.#depth--;
    if (this.#listDepth === 0 || this.#depth >= this.#listDepth) return;
    this.close = at;
    // An empty list has none.
    if (this.items > 0 || !isBlank(this.#json, this.open + 1, at)) this.#endItem(at);
    this.listValues = this.values - this.#valuesBefore;
    this.#listDepth = 0;
  }

  #comma(at: number): void {
    this.values++;
    if (this.#listDepth === 0) {
      if (this.#depth === 1) this.#isNameNext = true;
    } else if (this.#depth === this.#listDepth) {
      this.#endItem(at);
      if (at - this.#runAt < this.#runBytes) return;
      this.separators.push(at);
      this.#runAt = at;
    }
  }

  #beginItem(at: number): void {
    this.#itemAt = at + 1;
    this.#itemKeys = this.keys;
    this.#itemValues = this.values;
  }

  #endItem(at: number): void {
    this.items++;
    const item = {
      from: this.#itemAt,
      to: at,
      keys: this.keys - this.#itemKeys,
      values: this.values - this.#itemValues,
    };
    if (isOversized(item, this.#limits)) this.oversized.push(item);
    this.#beginItem(at);
  }
}

export interface ItemLimits {
  bytes: number;
  keys: number;
  values: number;
}

interface OversizedItem {
  from: number;
  to: number;
  keys: number;
}

const isOversized = (item: OversizedItem & { values: number }, limits: ItemLimits): boolean =>
  item.to - item.from > limits.bytes || item.keys > limits.keys || item.values > limits.values;

function isBlank(json: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((json[i] as number) > 0x20) return false;
  return true;
}

const BATCH = new TextEncoder().encode('batch');
