import type { Config } from '../config.ts';
import { sqlUserStatements } from '../stores/clickhouse/sql-user.ts';

const NAME = 'cairn_sql';

/** What an administrator of ClickHouse runs to make the user for SQL; null without ClickHouse. */
export function describeSqlUser(config: Config): string[] | null {
  const {
    clickhouseUrl,
    clickhouseCluster: cluster,
    sqlTimeoutSeconds: timeoutSeconds,
    sqlMemoryMb: memoryMb,
  } = config;
  if (clickhouseUrl === null) return null;
  const database = decodeURIComponent(new URL(clickhouseUrl).pathname.slice(1)) || 'default';
  return sqlUserStatements({ name: NAME, database, cluster }, { timeoutSeconds, memoryMb });
}
