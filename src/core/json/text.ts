declare global {
  // Node 20 has these two; TypeScript lists them from ES2024 on.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/**
 * Text that every store accepts: without NUL (PostgreSQL rejects it) and without half of a surrogate pair (it has no
 * UTF-8). Both become U+FFFD. Nearly all text is clean, so it is checked first.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes(NUL) ? whole.replaceAll(NUL, REPLACEMENT) : whole;
}

/** The first `max` UTF-16 units; half of a surrogate pair at the end is replaced, so the length is exactly `max`. */
export function truncateText(text: string, max: number): string {
  return text.length > max ? text.slice(0, max).toWellFormed() : text;
}

/** Whether it is empty or only white space. */
export const isBlank = (text: string): boolean => text.length === 0 || text.trim().length === 0;

const CONTROL = /\p{Cc}/u;

/** Whether there are control characters: invisible in code and consoles, and log lines end at some of them. */
export const hasControlCharacters = (text: string): boolean => CONTROL.test(text);
