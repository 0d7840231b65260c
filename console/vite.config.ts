import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { guides } from './guides-plugin.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the development server leaves to Cairn itself: `npm start` beside it. */
const SERVED_BY_CAIRN = ['/api', '/capture', '/batch', '/e/', '/i/', '/flags', '/decide', '/static', '/array'];

export default defineConfig({
  root: at('.'),
  plugins: [guides()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('../dist/console'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the pages takes nothing but files: no data: addresses, no inline helpers.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(
      [...SERVED_BY_CAIRN, '^/_(?:status|livez|readyz)'].map((path) => [path, 'http://127.0.0.1:8000']),
    ),
  },
});
