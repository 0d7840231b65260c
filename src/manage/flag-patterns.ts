import { RE2JS } from 're2js';

const LONGEST = 2000;

export function isValidPattern(pattern: string): boolean {
  if (pattern.length > LONGEST) return false;
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
