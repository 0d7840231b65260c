/** Looks for a pattern in a text; null where the pattern is invalid. User-given patterns must never reach `RegExp`. */
export type PatternSearch = (pattern: string, text: string) => boolean | null;
