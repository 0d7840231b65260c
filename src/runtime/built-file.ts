/** In the built server everything is one file beside the others; in tests this is TypeScript, and those are in dist/. */
const BUILT = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : './', import.meta.url);

export const builtFile = (name: string): URL => new URL(name, BUILT);
