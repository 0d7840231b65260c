import { invalid } from '../core/errors.ts';
import { parseExact } from '../core/json/exact-json.ts';
import type { Json } from '../core/json/json.ts';

/** What a file given to a command says; `attr` names the file in errors. */
export function parseJsonFile(attr: string, text: string): Json {
  try {
    return parseExact(text);
  } catch (error) {
    throw invalid(attr, `The file is not JSON: ${(error as Error).message}`);
  }
}
