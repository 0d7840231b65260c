// `npm start`: build, then run. Building takes a fraction of a second; an image built beforehand skips it (see --built).
import { build } from './build.js';
import { buildConsole } from './build-console.js';

if (!process.argv.includes('--built')) {
  await build();
  await buildConsole();
}
await import('../dist/main.js');
