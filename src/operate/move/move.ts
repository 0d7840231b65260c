/**
 * Moves an installation from a data folder, which is only read, to PostgreSQL and ClickHouse, and compares both sides. An
 * interrupted move is resumed by the next run.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type ClickHouseOptions, openClickHouseEventStore } from '../../stores/clickhouse/event-store.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import { MOVE_FINISHED } from '../../stores/metadata/move-marks.ts';
import type { FeatureTables } from '../../stores/sql/feature-tables.ts';
import { continueSequences } from './continue-sequences.ts';
import { copyEvents, countRemainingEvents } from './copy-events.ts';
import { copyLog } from './copy-log.ts';
import { copyTable, countRemainingRows } from './copy-tables.ts';
import type { MoveProgress } from './progress.ts';
import { eventsReport, type ReportLine, tableReport } from './report.ts';
import { type MoveSource, notReady, openSource, selectNumber } from './source.ts';
import { type MovedTable, movedTables } from './tables.ts';
import { claimTarget, MoveTarget } from './target.ts';
import { compareEvents, compareOverrides } from './verify-events.ts';
import { compareLog } from './verify-log.ts';
import { compareTable } from './verify-tables.ts';

interface MoveOptions {
  from: string;
  databaseUrl: string;
  logPartitions: number;
  clickhouse: ClickHouseOptions;
  /** Tables of features: they are moved like the others. */
  tables: FeatureTables;
  clock: Clock;
  ids: Ids;
  progress: MoveProgress;
}

interface Move {
  source: MoveSource;
  target: MoveTarget;
  store: BlockStore;
  tables: readonly MovedTable[];
  options: MoveOptions;
}

export async function move(options: MoveOptions): Promise<ReportLine[]> {
  const source = await openSource(options.from);
  const closing: (() => Promise<void> | void)[] = [() => source.close()];
  try {
    const { databaseUrl, logPartitions, tables: own, clock } = options;
    const target = await MoveTarget.open({ databaseUrl, logPartitions, now: clock.now(), tables: own });
    closing.push(() => target.close());
    await checkVersion(source, target);
    const store = await openClickHouseEventStore(options.clickhouse);
    closing.push(() => store.close());
    const tables = await movedTables(source.metadata, target);
    await claimTarget(
      target,
      source.identity,
      tables.map(({ name }) => name),
    );
    const all: Move = { source, target, store, tables, options };
    await copy(all);
    const report = await verify(all);
    if (report.every(({ differences }) => differences.length === 0)) await target.setMark(MOVE_FINISHED, clock.now());
    return report;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function checkVersion(source: MoveSource, target: MoveTarget): Promise<void> {
  const [row] = await target.rows<{ version: number }>('select max(version) as version from schema_version');
  if (source.version !== row?.version) throw notReady('The installation is not of this version');
}

async function copy({ source, target, store, tables, options: { progress, ids } }: Move): Promise<void> {
  const { metadata, events } = source;
  for (const table of tables) {
    const left = await countRemainingRows(metadata, target, table);
    if (left === 0) continue;
    progress.begin(table.name, left);
    await copyTable(metadata, target, table, progress);
    progress.end();
  }
  progress.begin('waiting events', source.logTotals.waiting);
  await copyLog(source, target, ids, progress);
  progress.end();
  progress.begin('events', await countRemainingEvents({ events, target }));
  await copyEvents({ events, store, target, progress });
  progress.end();
  await target.transaction(() => continueSequences(source, target, tables));
}

async function verify({ source, target, store, tables, options: { progress } }: Move): Promise<ReportLine[]> {
  const lines: ReportLine[] = [];
  const rows = tables.map(({ name }) => selectNumber(source.metadata, `select count(*) from "${name}"`));
  progress.begin(
    'comparing rows',
    rows.reduce((sum, count) => sum + count, 0),
  );
  for (const table of tables) {
    lines.push(tableReport(table.name, await compareTable(source.metadata, target, table, progress)));
  }
  progress.end();
  progress.begin('comparing events', await source.events.count(await source.events.end()));
  lines.push(tableReport('waiting events', await compareLog(source, target)));
  lines.push(tableReport('merged persons', await compareOverrides(source.events, store)));
  const events = eventsReport(await compareEvents(source.events, store));
  lines.push(events);
  progress.add(events.source);
  progress.end();
  return lines;
}
