/** Built files are next to each other in dist/; tests run this file from src/runtime/. */
const BUILT = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : './', import.meta.url);

export const builtFile = (name: string): URL => new URL(name, BUILT);
