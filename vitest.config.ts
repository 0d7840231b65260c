import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that take long, or need what not every machine has, are commands of their own: `npm run test:browser` and so on. */
const GROUPS: Record<string, string[]> = {
  browser: ['test/console/**/*.test.ts', 'test/docs-page.test.ts'],
  guides: ['test/guides/**/*.test.ts', 'test/deploying.test.ts'],
  security: [
    'test/security.test.ts',
    'test/access-control.test.ts',
    'test/fuzz-private-api.test.ts',
    'test/sessions.test.ts',
  ],
  faults: ['test/process.test.ts', 'test/person-deletion*.test.ts', 'src/stores/duckdb/event-file.test.ts'],
  sdks: ['test/sdks/**/*.test.ts'],
  cli: ['test/cli/**/*.test.ts'],
  postgres: ['src/stores/postgres/**/*.test.ts', 'test/scale/*.test.ts'],
  clickhouse: ['src/stores/clickhouse/**/*.test.ts', 'test/scale/clickhouse/**/*.test.ts'],
};
/**
 * The whole system once more, on the stores of many machines; `STORES` says which, see `test/support/server.ts`. Left
 * out is what asks about events throughout, looks into files, or takes its time (passwords, webhooks).
 */
const WHOLE = [
  'test/flags/!(rollback).test.ts',
  'test/decide/*.test.ts',
  'test/{organizations,projects,project-token,guards,private-errors}.test.ts',
  'test/{definitions,definitions-write,groups,persons,person-changes,person-properties,cohorts-static}.test.ts',
  'test/{dashboards,saved-insights}.test.ts',
  'test/capture/recorded-data.test.ts',
];
/** Many machines: everything that needs either engine. */
GROUPS['scale'] = [...(GROUPS['postgres'] ?? []), ...(GROUPS['clickhouse'] ?? [])];
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'];
const group = process.env['TESTS'];
const stores = process.env['STORES'] ?? 'embedded';
const needsPostgres = stores !== 'embedded' || ['postgres', 'clickhouse', 'scale'].includes(group ?? '');

function filesOf(name: string): string[] {
  return name === 'whole' ? WHOLE : (GROUPS[name] ?? []);
}

export default defineConfig({
  test: {
    include: group === undefined ? ALL : filesOf(group),
    exclude: [...configDefaults.exclude, ...(group === undefined ? Object.values(GROUPS).flat() : [])],
    globalSetup: ['test/support/build-worker.ts', ...(needsPostgres ? ['test/support/start-postgres.ts'] : [])],
    // Long enough for a machine that is busy with something else; nothing here waits for it to pass.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'threads',
    // Nothing is mocked, so files may share what they import: a quarter of the time would go into importing it again.
    isolate: false,
    // Most of a test is waiting for disks and answers, so two files at a time pay off even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
