// Builds something only if what it is made of has changed since: a build takes seconds, the check some milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;

/** `sources`: files and folders; `outputs`: files in dist/ without which it is built in any case. */
export async function buildIfChanged(name, { sources, outputs }, build) {
  const stamp = join(root, 'dist', `${name}.built`);
  const wanted = digestOf([...sources, 'package-lock.json', import.meta.filename.slice(root.length)]);
  const isThere = outputs.every((file) => existsSync(join(root, 'dist', file)));
  if (isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  await build();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Of the version of Node, too: compiled code is for one version. */
function digestOf(sources) {
  const hash = createHash('sha256').update(process.version);
  for (const file of sources.flatMap(filesOf).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Tests are not built. */
function filesOf(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
