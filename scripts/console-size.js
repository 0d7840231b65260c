// Checks the compressed size of the console's first load against a limit: `npm run console:size`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole } from './build-console.js';

const LIMIT_KB = 60;
const folder = new URL('../dist/console/', import.meta.url).pathname;

await buildConsole();
const html = readFileSync(join(folder, 'index.html'));
const named = [...html.toString().matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name);
/** Fonts are compressed already. */
const transferred = (name, content) =>
  name.endsWith('.woff2') ? content.length : gzipSync(content, { level: 9 }).length;
const sizeOf = (name) => ({ name, bytes: transferred(name, readFileSync(join(folder, name))) });
const first = named.map(sizeOf);
first.unshift(sizeOf('index.html'));
const total = first.reduce((sum, { bytes }) => sum + bytes, 0);
const later = readdirSync(join(folder, 'assets'))
  .filter((name) => /\.(?:js|css|woff2)$/.test(name) && !named.includes(`assets/${name}`))
  .map((name) => sizeOf(`assets/${name}`))
  .sort((a, b) => b.bytes - a.bytes);

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(`first load: ${kb(total)} gzip, limit ${LIMIT_KB} kB`);
for (const { name, bytes } of first) console.log(`  ${kb(bytes).padStart(8)}  ${name}`);
console.log(`loaded later, by page: ${kb(later.reduce((sum, { bytes }) => sum + bytes, 0))}`);
for (const { name, bytes } of later.slice(0, 12)) console.log(`  ${kb(bytes).padStart(8)}  ${name}`);
if (total > LIMIT_KB * 1000) {
  console.error(
    `The first load exceeds its limit by ${kb(total - LIMIT_KB * 1000)}: import code that only some pages need dynamically.`,
  );
  process.exit(1);
}
