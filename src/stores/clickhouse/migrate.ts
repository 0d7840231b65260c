import type { ClickHouseConnection } from './connection.ts';
import { hasCode } from './failure.ts';
import { StoreNotes } from './keyed-notes.ts';
import { migrationSteps, type Topology } from './schema.ts';

const VERSION_NOTE = 'schema_version';

/** Several processes may run this at once: every statement is repeatable. */
export async function migrateClickHouse(
  connection: ClickHouseConnection,
  topology: Topology,
  url: string,
): Promise<void> {
  const all = migrationSteps(topology);
  const notes = new StoreNotes(connection);
  const version = await readVersion(notes);
  if (version > all.length) {
    throw new Error(
      `The event store at ${withoutPassword(url)} was written by a newer version of Cairn (schema ${version}, this one ` +
        `knows ${all.length}). Start that version, or restore a backup from before the upgrade.`,
    );
  }
  for (const [i, step] of all.entries()) {
    if (i < version) continue;
    for (const statement of step) await connection.run(statement);
    await notes.write({ [VERSION_NOTE]: i + 1 });
  }
}

async function readVersion(notes: StoreNotes): Promise<number> {
  try {
    return await notes.readNumber(VERSION_NOTE);
  } catch (error) {
    if (hasCode(error, 'UNKNOWN_TABLE')) return 0;
    if (!hasCode(error, 'UNKNOWN_DATABASE')) throw error;
    throw new Error('The database that CLICKHOUSE_URL names does not exist: create it, then start again.', {
      cause: error,
    });
  }
}

function withoutPassword(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
