import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'],
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
