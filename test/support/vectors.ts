/** Recorded cases (vectors) are kept outside the repository, in the folder that VECTORS_DIR names. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';

const FOLDER = resolve(process.env['VECTORS_DIR'] ?? '../shared/vectors');

/** The content of a file of recorded cases; null where it is absent. */
export function readVectors<T>(file: string): T | null {
  const path = resolve(FOLDER, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}

/** Tests that need recorded cases. Without the file they are reported as skipped, and the name says what is missing. */
export function describeVectors<T>(name: string, file: string, define: (vectors: T) => void): void {
  const vectors = readVectors<T>(file);
  if (vectors !== null) describe(name, () => define(vectors));
  else describe(name, () => it.skip(`needs ${file} in ${FOLDER}: set VECTORS_DIR to a folder with recorded cases`));
}
