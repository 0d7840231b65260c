import { readFileSync } from 'node:fs';
import { builtFile } from './built-file.ts';

let known: ReadonlyMap<string, string> | undefined;

/** The guides of this version by name, as Markdown; read when they are first asked for. */
export function guides(): ReadonlyMap<string, string> {
  known ??= new Map(
    Object.entries(JSON.parse(readFileSync(builtFile('guides.json'), 'utf8')) as Record<string, string>),
  );
  return known;
}
