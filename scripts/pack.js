// Puts together what a running server needs, and nothing else, in a folder of its own: `node scripts/pack.js <folder>`.
// The image is made of it (see Dockerfile); it can as well be copied to a machine of the same kind and started there
// with `node dist/main.js`. Comes after `npm run build`.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { BUNDLED } from './build.js';

const root = new URL('..', import.meta.url).pathname;
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** They have done their work when dist/ is there. */
const FOR_BUILDING = ['esbuild', 'vite', 'preact', 'uplot', 'd3-sankey'];

/** Of these packages a part is enough; their own dependencies are not followed. */
const PARTLY = {
  // Sent to browsers as it lies there.
  'posthog-js': (path) => path === 'package.json' || /^dist(\/[^/]+\.js)?$/.test(path),
};

/** Sources of native parts, and what is left of building them. */
const isNeeded = (path) => !/^(deps|src|build\/Release\/(obj|obj\.target|test_extension\.node|.*\.a))(\/|$)/.test(path);
const isForReading = (path) => /\.(map|md|markdown|ts|mts|cts|flow|tsbuildinfo)$/i.test(path);

export function pack(folder) {
  if (!existsSync(join(root, 'dist/main.js'))) throw new Error('There is no dist/ yet: run `npm run build` first.');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'LICENSE', 'dist']) {
    const fits = (from) => !isForReading(from) && !/^dist\/(test|tools)(\/|$)/.test(relative(root, from));
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: fits });
  }
  for (const place of neededPackages()) copyPackage(place, folder);
  return sizeOf(folder);
}

function copyPackage(place, folder) {
  const from = join(root, place);
  const isPart = PARTLY[basename(place)];
  const filter = (path) => {
    const inside = relative(from, path);
    if (inside === '') return true;
    return isPart ? isPart(inside) : inside !== 'node_modules' && isNeeded(inside) && !isForReading(inside);
  };
  cpSync(from, join(folder, place), { recursive: true, filter, dereference: true });
}

/** Places of packages (`node_modules/a/node_modules/b`) that the built server asks for, by the lock file's word. */
function neededPackages() {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const found = new Set();
  const visit = (name, from) => {
    const place = placeOf(packages, name, from);
    if (place === null || found.has(place) || !existsSync(join(root, place))) return;
    found.add(place);
    if (PARTLY[name]) return;
    const { dependencies, optionalDependencies } = packages[place];
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, place);
  };
  const { dependencies } = readJson(join(root, 'package.json'));
  const inTheBundle = new Set([...FOR_BUILDING, ...BUNDLED]);
  for (const name of Object.keys(dependencies)) if (!inTheBundle.has(name)) visit(name, '');
  return found;
}

/** As Node looks for it: in the package's own folder, then in those above. */
function placeOf(packages, name, from) {
  for (
    let at = from;
    ;
    at = at.includes('/node_modules/') ? dirname(at.slice(0, at.lastIndexOf('/node_modules/') + 1)) : ''
  ) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[place]) return place;
    if (at === '') return null;
  }
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2];
  if (!folder) throw new Error('Say where to: node scripts/pack.js <folder>');
  console.log(`${folder}: ${Math.round(pack(folder) / 1e6)} MB`);
}
