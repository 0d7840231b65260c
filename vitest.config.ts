import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests in a real browser take long, and are a command of their own: `npm run test:browser`. */
const IN_BROWSERS = ['test/console/**/*.test.ts', 'test/docs-page.test.ts', 'test/decide/browser.test.ts'];
const OTHERS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'];
/** Those with the engines of many machines likewise: `npm run test:scale`. */
const AT_SCALE = ['src/stores/postgres/**/*.test.ts', 'src/stores/clickhouse/**/*.test.ts', 'test/scale/**/*.test.ts'];
const APART: Readonly<Record<string, readonly string[]>> = { browser: IN_BROWSERS, scale: AT_SCALE };
const group = process.env['TESTS'] ?? '';
const chosen = APART[group];

export default defineConfig({
  test: {
    include: [...(chosen ?? OTHERS)],
    exclude: [...configDefaults.exclude, ...(chosen ? [] : Object.values(APART).flat())],
    globalSetup: ['test/support/build-worker.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'threads',
    // Nothing is mocked, so files may share what they import: a quarter of the time would go into importing it again.
    isolate: false,
    // Most of a test is waiting for disks and answers, so two files at a time pay off even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
