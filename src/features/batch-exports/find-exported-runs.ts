/** Which runs have put a person into files: for the proof of a deletion, since files that left cannot be called back. */
import { MINUTE_MS } from '../../core/time/units.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { ExportedRun } from '../../stores/metadata/deletions.ts';
import type { BatchExport, ExportRun } from './store/batch-export-store.ts';

/** Every interval begins and ends with one of these. */
const SLOT_MS = 5 * MINUTE_MS;
const MAX_UUIDS = 100_000;
const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER };

/** Of events and sessions: the runs of the times at which the person's events were received. Of persons: all runs. */
export async function findExportedRuns(
  deps: QueryDeps,
  projectId: number,
  personUuid: string,
): Promise<readonly ExportedRun[]> {
  const { batchExports } = deps.metadata;
  const exports = await batchExports.listAll(projectId);
  if (exports.length === 0) return [];
  const slots = await readSlots(deps, projectId, personUuid);
  const uuids = await readUuids(deps, projectId, personUuid);
  const found: ExportedRun[] = [];
  for (const one of exports) {
    const late = one.model === 'persons' ? [] : await batchExports.listLateReceived(one.id, ALL_TIME);
    const lateRuns = new Set(late.flatMap(({ runId, uuids: own }) => (own.some((id) => uuids.has(id)) ? [runId] : [])));
    const hasEvents = ({ startAt, endAt }: ExportRun): boolean =>
      slots.some((slot) => slot + SLOT_MS > startAt && slot < endAt);
    for (const run of await batchExports.listRunsWithFiles(one.id, ALL_TIME))
      if (one.model === 'persons' || lateRuns.has(run.id) || hasEvents(run)) found.push(present(one, run));
  }
  return found;
}

const present = ({ id, name }: BatchExport, { id: run, startAt, endAt, manifest }: ExportRun): ExportedRun => ({
  batchExport: id,
  name,
  run,
  startAt,
  endAt,
  manifest,
});

async function readSlots(deps: QueryDeps, projectId: number, personUuid: string): Promise<number[]> {
  const sql = deps.dialect.newStatement('e');
  const slot = sql.quotient(sql.ms('e.created_at'), sql.integer(SLOT_MS));
  const rows = await deps.events.query(
    `select ${slot} as slot
    from events e
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(personUuid)} as UUID)
    group by 1`,
    sql.values,
  );
  return rows.map((row) => Number(row['slot']) * SLOT_MS);
}

async function readUuids(deps: QueryDeps, projectId: number, personUuid: string): Promise<ReadonlySet<string>> {
  const sql = deps.dialect.newStatement('e');
  const rows = await deps.events.query(
    `select e.uuid
    from events e
    where e.project_id = ${sql.param(projectId)} and e.person_id = cast(${sql.param(personUuid)} as UUID)
    limit ${sql.param(MAX_UUIDS)}`,
    sql.values,
  );
  return new Set(rows.map((row) => String(row['uuid'])));
}
