/** Searches the bytes of all files in a folder for planted texts. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `file: text` for each text that a file holds. */
export function findCanaries(folder: string, canaries: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  return files.flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    return canaries.filter((canary) => bytes.includes(canary)).map((canary) => `${file}: ${canary}`);
  });
}
