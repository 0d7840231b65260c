import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests in a real browser take long, and are a command of their own: `npm run test:browser`. */
const IN_BROWSERS = ['test/console/**/*.test.ts', 'test/docs-page.test.ts', 'test/decide/browser.test.ts'];
const OTHERS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'];
const isInBrowsers = process.env['TESTS'] === 'browser';

export default defineConfig({
  test: {
    include: isInBrowsers ? IN_BROWSERS : OTHERS,
    exclude: [...configDefaults.exclude, ...(isInBrowsers ? [] : IN_BROWSERS)],
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
