/** Published cases as data, kept outside of the repository. Tests that read them are skipped where they are not there. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve(process.env['VECTORS_DIR'] ?? '../shared/vectors');

/** What a file of cases holds, or `none` where there is no such file. */
export function vectors<T>(file: string, none: T): T {
  const path = resolve(FOLDER, file);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as T;
  console.info(`No cases at ${path}: set VECTORS_DIR to run them.`);
  return none;
}
