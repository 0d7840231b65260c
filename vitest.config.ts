import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Slow tests, and tests that need more than Node, have their own commands: `npm run test:browser` and so on. */
const GROUPS: Record<string, string[]> = {
  browser: ['test/console/**/*.test.ts', 'test/http/docs-page.test.ts'],
  guides: ['test/guides/**/*.test.ts', 'test/operate/deploying.test.ts'],
  security: [
    'test/http/{security,early-errors}.test.ts',
    'test/capture/{attacks,floods,hostile}.test.ts',
    'test/events/large-rows.test.ts',
    'test/accounts/revocation.test.ts',
    'test/accounts/privacy.test.ts',
    'test/persons/pattern-attacks.test.ts',
    'test/http/{access-control,key-scopes}.test.ts',
    'test/http/fuzz-private-api.test.ts',
    'src/features/accounts/sign-in-guard.test.ts',
    'test/accounts/{users,invites,sessions,timing,rate-limits,links-by-mail,second-factors,single-sign-on,enforced-sign-on,sign-on-settings}.test.ts',
    'test/mcp/**/*.test.ts',
    'test/sharing/**/*.test.ts',
  ],
  faults: [
    'test/operate/{process,losses,damaged-files,failing-disk,poison}.test.ts',
    'test/persons/deletion*.test.ts',
    'test/{alerts,accounts,destinations,batch-exports,flag-usage,scheduled-changes,subscriptions,relay}/kill.test.ts',
    'src/stores/duckdb/event-file.test.ts',
    'test/events/dead-letters.test.ts',
  ],
  // Messages to the outside, which wait for their time.
  deliveries: [
    'test/webhooks/*.test.ts',
    'test/audit/audit-webhook.test.ts',
    'test/destinations/destinations.test.ts',
    'test/batch-exports/{batch-exports,s3}.test.ts',
    'test/alerts/{alerts,mail,bad-input}.test.ts',
    'test/subscriptions/subscriptions.test.ts',
  ],
  // Streams of flag definitions, and relays that follow them: they mostly wait.
  streams: ['test/relay/{relay,equality,protocols}.test.ts', 'test/flags/streams.test.ts'],
  // What questions are answered with, against an oracle.
  engines: [
    'src/stores/duckdb/{dialect,promotion,event-store,session-rows}.test.ts',
    'src/features/insights/{engine,sequences}.test.ts',
    'src/query/**/*.test.ts',
    'test/insights/{over-time-vectors,sequence-vectors,long-queries}.test.ts',
    'test/web-analytics/{oracle,channels,world-vectors,hostile,session-properties}.test.ts',
    'test/experiments/{guardrails,bad-input,metric-kinds,kept-measurements,read-in-slices}.test.ts',
    'test/sql/*.test.ts',
  ],
  // The products' own clients, and their evaluation of flags.
  sdks: [
    'test/sdks/**/*.test.ts',
    'test/promotion/flag-imports.test.ts',
    'test/flags/{agreement,vendor-bucketing}.test.ts',
  ],
  cli: ['test/cli/**/*.test.ts', 'src/operate/update-countries.test.ts'],
  postgres: ['src/stores/postgres/**/*.test.ts', 'test/scale/*.test.ts'],
  clickhouse: ['src/stores/clickhouse/**/*.test.ts', 'test/scale/clickhouse/**/*.test.ts'],
};
/**
 * System tests that run once more on the stores of a cluster; `STORES` says which, see `test/support/server.ts`. Not
 * among them: tests that query events throughout, read files, or are slow (passwords, webhooks).
 */
const CLUSTER = [
  'test/flags/!(rollback).test.ts',
  'test/flags/decide/*.test.ts',
  'test/accounts/{organizations,projects,project-token,invites}.test.ts',
  'test/http/{security,private-errors}.test.ts',
  'test/{definitions,groups,dashboards}/*.test.ts',
  'test/persons/{persons,changes,properties}.test.ts',
  'test/cohorts/static.test.ts',
  'test/scheduled-changes/{scheduled-changes,ramp-guard}.test.ts',
  'test/capture/recorded-data.test.ts',
  ...(process.env['STORES'] === 'large' ? ['test/capture/{identifiers,long-numbers}.test.ts'] : []),
];
/** Everything that needs PostgreSQL or ClickHouse. */
GROUPS['scale'] = [...(GROUPS['postgres'] ?? []), ...(GROUPS['clickhouse'] ?? [])];
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'];
const group = process.env['TESTS'];
/** Groups whose tests measure how long others wait. The rest mostly waits for disks and answers itself. */
const MEASURE_WAITS = ['security', 'faults', 'deliveries', 'streams', 'browser', 'cli'];
/** `TEST_WORKERS` is for several runs at once, as in CI. */
const WORKERS =
  Number(process.env['TEST_WORKERS']) || availableParallelism() + (MEASURE_WAITS.includes(group ?? '') ? 0 : 1);
const stores = process.env['STORES'] ?? 'embedded';
const needsPostgres = stores !== 'embedded' || ['postgres', 'clickhouse', 'scale'].includes(group ?? '');

function filesOf(name: string): string[] {
  return name === 'whole' ? CLUSTER : (GROUPS[name] ?? []);
}

export default defineConfig({
  test: {
    include: group === undefined ? ALL : filesOf(group),
    exclude: [...configDefaults.exclude, ...(group === undefined ? Object.values(GROUPS).flat() : [])],
    globalSetup: [
      'test/support/build-worker.ts',
      'test/support/migrate-stores.ts',
      ...(needsPostgres ? ['test/support/start-postgres.ts'] : []),
    ],
    setupFiles: ['test/support/property-seed.ts'],
    // Long enough for a machine that is busy with something else; nothing here waits for it to pass.
    testTimeout: group === 'browser' ? 400_000 : 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'threads',
    // Nothing is mocked, so files may share what they import: a quarter of the time would go into importing it again.
    isolate: false,
    // Later runs, and other groups, need not transform the sources again.
    experimental: { fsModuleCache: true },
    maxWorkers: WORKERS,
  },
});
