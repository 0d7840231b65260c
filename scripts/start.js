// `npm start`: build, then run. Building takes a fraction of a second; the Docker image skips it (`--built`).
if (!process.argv.includes('--built')) {
  const { build } = await import('./build.js');
  const { buildConsole } = await import('./build-console.js');
  await build();
  await buildConsole();
}
await import('../dist/main.js');
