// `npm start`: build what has changed, then run. The Docker image is built once (`--built`).
if (!process.argv.includes('--built')) {
  const { build } = await import('./build.js');
  const { buildConsole } = await import('./build-console.js');
  await build();
  await buildConsole();
}
await import('../dist/main.js');
