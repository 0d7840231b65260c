/**
 * Migrates the database: numbered migrations, forward only, each in its own transaction and under a lock.
 */

import type { Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Migration } from './migration.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { ingest } from './migrations/0002-ingest.ts';
import { flagsAndCohorts } from './migrations/0003-flags-and-cohorts.ts';
import { personDeletions } from './migrations/0004-person-deletions.ts';
import { definitionDetails } from './migrations/0005-definition-details.ts';
import { personLookups } from './migrations/0006-person-lookups.ts';
import { personChanges } from './migrations/0007-person-changes.ts';
import { personIndex } from './migrations/0008-person-index.ts';
import { savedInsights } from './migrations/0009-saved-insights.ts';
import { droppedInOrder } from './migrations/0010-dropped-in-order.ts';
import { manyMachines } from './migrations/0011-many-machines.ts';
import { goneProjects } from './migrations/0012-gone-projects.ts';
import { invites } from './migrations/0013-invites.ts';
import { turnsByProject } from './migrations/0014-turns-by-project.ts';
import { blocksOfSeenIds } from './migrations/0015-blocks-of-seen-ids.ts';
import { experiments } from './migrations/0016-experiments.ts';
import { webSettings } from './migrations/0017-web-settings.ts';
import { textTiles } from './migrations/0018-text-tiles.ts';
import { annotations } from './migrations/0019-annotations.ts';
import { holdouts } from './migrations/0020-holdouts.ts';
import { sessionDetails } from './migrations/0021-sessions.ts';
import { scopedKeys } from './migrations/0022-scoped-keys.ts';
import { blocksOfRecentIds } from './migrations/0023-blocks-of-recent-ids.ts';
import { scheduledChanges } from './migrations/0024-scheduled-changes.ts';
import { audit } from './migrations/0025-audit.ts';
import { secondFactors } from './migrations/0026-second-factors.ts';
import { singleSignOn } from './migrations/0027-single-sign-on.ts';
import { alerts } from './migrations/0028-alerts.ts';
import { flagUsage } from './migrations/0029-flag-usage.ts';
import { secretKeys } from './migrations/0030-secret-keys.ts';
import { auditWebhooks } from './migrations/0031-audit-webhooks.ts';
import { sharing } from './migrations/0032-sharing.ts';
import { cookielessVisitors } from './migrations/0033-cookieless-visitors.ts';
import { sqlInsights } from './migrations/0034-sql-insights.ts';
import { experimentFindings } from './migrations/0035-experiment-findings.ts';
import { destinations } from './migrations/0036-destinations.ts';
import { keyNetworks } from './migrations/0037-key-networks.ts';
import { flagDefinitionVersions } from './migrations/0038-flag-definition-versions.ts';
import { promotedFlags } from './migrations/0039-promoted-flags.ts';
import { subscriptions } from './migrations/0040-subscriptions.ts';
import { approvals } from './migrations/0041-approvals.ts';
import { batchExports } from './migrations/0042-batch-exports.ts';
import { earlyAccessFeatures } from './migrations/0043-early-access-features.ts';
import { rampsWithAlerts } from './migrations/0044-ramps-with-alerts.ts';
import { webShares } from './migrations/0045-web-shares.ts';
import { writtenEmails } from './migrations/0046-written-emails.ts';

/** Those of the platform; features bring their own. */
export const PLATFORM_MIGRATIONS: readonly Migration[] = [
  foundation,
  ingest,
  flagsAndCohorts,
  personDeletions,
  definitionDetails,
  personLookups,
  personChanges,
  personIndex,
  savedInsights,
  droppedInOrder,
  manyMachines,
  goneProjects,
  invites,
  turnsByProject,
  blocksOfSeenIds,
  experiments,
  webSettings,
  textTiles,
  annotations,
  holdouts,
  sessionDetails,
  scopedKeys,
  blocksOfRecentIds,
  scheduledChanges,
  audit,
  secondFactors,
  singleSignOn,
  alerts,
  flagUsage,
  secretKeys,
  auditWebhooks,
  sharing,
  cookielessVisitors,
  sqlInsights,
  experimentFindings,
  destinations,
  keyNetworks,
  flagDefinitionVersions,
  promotedFlags,
  subscriptions,
  approvals,
  batchExports,
  earlyAccessFeatures,
  rampsWithAlerts,
  webShares,
  writtenEmails,
];

interface VersionTable {
  schemaVersion: { version: number; name: string; appliedAt: number };
}

export async function migrateDatabase(
  db: Kysely<unknown>,
  dialect: SqlDialect,
  now: number,
  own: readonly Migration[],
  platform: readonly Migration[] = PLATFORM_MIGRATIONS,
): Promise<void> {
  const migrations = inOrder([...platform, ...own]);
  await createVersionTable(db, dialect);
  for (let more = true; more; ) {
    more = await db.transaction().execute((tx) => runNext(tx, dialect, now, migrations));
  }
}

function inOrder(migrations: readonly Migration[]): Migration[] {
  const sorted = migrations.toSorted((a, b) => a.number - b.number);
  for (const [i, { number, name }] of sorted.entries()) {
    if (number === i + 1) continue;
    throw new Error(
      `Migration ${number} ("${name}") should have the number ${i + 1}: numbers are unique, without gaps.`,
    );
  }
  return sorted;
}

async function createVersionTable(db: Kysely<unknown>, dialect: SqlDialect): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await dialect.lockForMigration(tx);
    await tx.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at', dialect.bigIntegerType, (column) => column.notNull())
      .execute();
  });
}

/** Runs the next migration; false if there is none. Reads the version under the lock, for concurrent starts. */
async function runNext(
  tx: Kysely<unknown>,
  dialect: SqlDialect,
  now: number,
  migrations: readonly Migration[],
): Promise<boolean> {
  await dialect.lockForMigration(tx);
  const versions = tx as Kysely<VersionTable>;
  const row = await versions
    .selectFrom('schemaVersion')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  const current = Number(row?.version ?? 0);
  if (current > migrations.length) throw newerDatabase(current, migrations.length);
  const next = migrations[current];
  if (next === undefined) return false;
  await next.up(tx, dialect);
  await versions
    .insertInto('schemaVersion')
    .values({ version: next.number, name: next.name, appliedAt: now })
    .execute();
  return true;
}

const newerDatabase = (found: number, known: number): Error =>
  new Error(
    `The database is of a newer version of Cairn (its schema is ${found}, this version knows ${known}). ` +
      'Start the newer version again, or restore a backup made before the upgrade. Nothing was changed.',
  );
