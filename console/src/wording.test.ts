import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OLD_PHRASES } from './old-phrases.ts';

const folder = new URL('./', import.meta.url).pathname;

it('no source has a phrase that the console no longer uses', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.ts$|old-phrases\.ts$/.test(path),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) => {
    const text = readFileSync(folder + path, 'utf8')
      .replaceAll(/\s+/g, ' ')
      .toLowerCase();
    return OLD_PHRASES.filter((phrase) => text.includes(phrase.toLowerCase())).map((phrase) => `${path}: ${phrase}`);
  });
  expect(found).toEqual([]);
});
