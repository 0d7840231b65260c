/**
 * What a parser would have to make of JSON text, counted without parsing it: some megabytes of nothing but brackets, commas
 * or keys would block the process for seconds and take hundreds of megabytes. Errors are left to the parser.
 */
import { MAX_DEPTH } from './clean-json.ts';
import { BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-characters.ts';

interface JsonLimits {
  /** Lists and objects: each takes half a microsecond. */
  containers: number;
  /** Items of lists and members of objects. */
  values: number;
}

/** Whether JSON text has more than `limits` allow. Scans about 300 MB a second. */
export function exceedsJsonLimits(json: Uint8Array, limits: JsonLimits): boolean {
  let containers = 0;
  let commas = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA) commas++;
    else if ((byte === OPEN_LIST || byte === OPEN_OBJECT) && ++containers > limits.containers) return true;
  }
  // Each value is the first of its container or follows a comma.
  return containers + commas > limits.values;
}

/** The keys of a parsed value at all levels; Infinity where it is nested too deeply to be counted. */
export function countKeys(value: unknown, levels = MAX_DEPTH): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Infinity;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item, levels - 1);
  else {
    const members = value as Record<string, unknown>;
    for (const key in members) count += 1 + countKeys(members[key], levels - 1);
  }
  return count;
}
