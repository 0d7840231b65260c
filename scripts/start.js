// `npm start`: build, then run. Building takes a fraction of a second; the Docker image skips it (`--built`).
import { build } from './build.js';
import { buildConsole } from './build-console.js';

if (!process.argv.includes('--built')) {
  await build();
  await buildConsole();
}
await import('../dist/main.js');
