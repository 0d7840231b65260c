// Copies only what a running server needs into a folder: `node scripts/pack.js <folder>`, after `npm run build`. The
// Docker image is made from it (see Dockerfile); it can also be copied to another machine of the same platform and
// started with `node dist/main.js`.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { NOT_BUNDLED } from './build.js';

const root = new URL('..', import.meta.url).pathname;
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Not needed once dist/ is built. */
const BUILD_ONLY = ['esbuild', 'vite'];

/** Packages of which only some files are copied, without their dependencies. */
const PARTIAL = {
  // Served to browsers as it is.
  'posthog-js': (path) => path === 'package.json' || /^dist(\/[^/]+\.js)?$/.test(path),
};

/** Sources and build artifacts of native modules; elsewhere `src` may be what a package exports. */
const isNative = (packageFolder) => existsSync(join(packageFolder, 'binding.gyp'));
const isBuildInput = (path) =>
  /^(deps|src|build\/Release\/(obj|obj\.target|test_extension\.node|.*\.a))(\/|$)/.test(path);
const isDocOrSource = (path) => /\.(map|md|markdown|ts|mts|cts|flow|tsbuildinfo)$/i.test(path);

export function pack(folder) {
  if (!existsSync(join(root, 'dist/main.js'))) throw new Error('dist/ is missing: run `npm run build` first.');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'LICENSE', 'NOTICE', 'dist']) {
    const fits = (from) => !isDocOrSource(from) && !/^dist\/(test|tools)(\/|$)/.test(relative(root, from));
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: fits });
  }
  for (const path of neededPackages()) copyPackage(path, folder);
  return sizeOf(folder);
}

function copyPackage(packagePath, folder) {
  const from = join(root, packagePath);
  const isPart = PARTIAL[basename(packagePath)];
  const isLeftOut = isNative(from) ? isBuildInput : () => false;
  const filter = (path) => {
    const inside = relative(from, path);
    if (inside === '') return true;
    return isPart ? isPart(inside) : inside !== 'node_modules' && !isLeftOut(inside) && !isDocOrSource(inside);
  };
  cpSync(from, join(folder, packagePath), { recursive: true, filter, dereference: true });
}

/** Paths of the packages (`node_modules/a/node_modules/b`) that the built server imports, from the lock file. */
function neededPackages() {
  const { packages } = readJson(join(root, 'package-lock.json'));
  const found = new Set();
  const visit = (name, from) => {
    const path = pathOf(packages, name, from);
    if (path === null || found.has(path) || !existsSync(join(root, path))) return;
    found.add(path);
    if (PARTIAL[name]) return;
    const { dependencies, optionalDependencies } = packages[path];
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, path);
  };
  const { dependencies } = readJson(join(root, 'package.json'));
  const copied = NOT_BUNDLED.filter((name) => name in dependencies && !BUILD_ONLY.includes(name));
  for (const name of copied) visit(name, '');
  return found;
}

/** Resolves like Node: in the package's own node_modules, then in those above. */
function pathOf(packages, name, from) {
  for (
    let at = from;
    ;
    at = at.includes('/node_modules/') ? dirname(at.slice(0, at.lastIndexOf('/node_modules/') + 1)) : ''
  ) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path]) return path;
    if (at === '') return null;
  }
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2];
  if (!folder) throw new Error('Usage: node scripts/pack.js <folder>');
  console.log(`${folder}: ${Math.round(pack(folder) / 1e6)} MB`);
}
