#!/usr/bin/env node
// The command line: `npx cairn …`, or `npm run cairn -- …`, which builds first (`--build`).
import { existsSync } from 'node:fs';

const built = new URL('../dist/cli.js', import.meta.url);
const wantsBuild = process.argv[2] === '--build';
if (wantsBuild) process.argv.splice(2, 1);
if (wantsBuild || !existsSync(built)) {
  const { build } = await import('./build.js');
  await build();
}
await import(built.href);
