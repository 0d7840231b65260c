/**
 * Events of an actor as texts that sort by time and id, whatever follows. The engine gathers them in no order, which
 * takes it a small part of the memory that lists in order would; they are put into order here.
 */
import { EARLIEST } from '../core/insights/time/zoned.ts';

const DIGITS = 14;
const UUID = 36;

/** `time` is a number of ms; `rest` are further texts to be appended. */
export const orderedText = (time: string, uuid: string, rest: readonly string[]): string =>
  `concat(lpad(cast(${time} - ${EARLIEST} as varchar), ${DIGITS}, '0'), cast(${uuid} as varchar), ${rest.join(', ')})`;

/** A text with its length before it, so that it can be found again among others. */
export const measured = (text: string): string => `length(${text}), ':', ${text}`;

export interface OrderedText {
  at: number;
  rest: string;
}

export function readOrdered(list: unknown): OrderedText[] {
  const texts = JSON.parse(String(list)) as string[];
  return texts.sort().map((text) => ({
    at: Number(text.slice(0, DIGITS)) + EARLIEST,
    rest: text.slice(DIGITS + UUID),
  }));
}

/** Texts that were measured, one after the other. The engine counts whole characters, not their halves. */
export function readMeasured(text: string, count: number): string[] {
  const found: string[] = [];
  let rest = text;
  for (let i = 0; i < count; i++) {
    const colon = rest.indexOf(':');
    const length = Number(rest.slice(0, colon));
    rest = rest.slice(colon + 1);
    const own = HALVES.test(rest) ? [...rest].slice(0, length).join('') : rest.slice(0, length);
    found.push(own);
    rest = rest.slice(own.length);
  }
  return found;
}

const HALVES = /[\ud800-\udfff]/;
