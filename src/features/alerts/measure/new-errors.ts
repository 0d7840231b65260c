/** Problems that are new: exceptions and ingestion warnings of a kind not seen for two weeks, and dead letters. */
import { invalid } from '../../../core/errors.ts';
import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { Dialect } from '../../../stores/events/dialect.ts';
import type { EventStore } from '../../../stores/events/event-store.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { newProblems, type Problem, type SeenDay, UNSEEN_MS } from '../rules/new-problems.ts';

export interface NewErrorDeps {
  metadata: MetadataStore;
  events: Pick<EventStore, 'query'>;
  dialect: Dialect;
}

const EVENT = '$exception';
const MAX_DAYS_OF_EXCEPTIONS = 50_000;
const MAX_NAME_LENGTH = 200;
const MAX_DEAD_LETTERS = 1000;

export async function listNewErrors(
  deps: NewErrorDeps,
  projectId: number,
  { from, until }: Range,
  signal: AbortSignal,
): Promise<Problem[]> {
  const range = { from: from - UNSEEN_MS, until };
  const [exceptions, warnings, failed] = await Promise.all([
    listExceptionDays(deps, projectId, range, signal),
    deps.metadata.warnings.listDays(projectId, range),
    deps.metadata.deadLetters.listTimes(projectId, { from, until }, MAX_DEAD_LETTERS),
  ]);
  return [
    ...newProblems(exceptions, from).map(({ at, name }) => ({ at, text: `New exception: ${name}` })),
    ...newProblems(warnings, from).map(({ at, name }) => ({ at, text: `New ingestion warning: ${name}` })),
    ...failed.map((at) => ({ at, text: 'An event could not be processed: see the dead letters' })),
  ].sort((a, b) => a.at - b.at);
}

/**
 * By fingerprint. Where the SDK sent none: by type and message, whose numbers are left out, because ids and times in them
 * would make each one new. A day is short enough: no two weeks pass within one.
 */
async function listExceptionDays(
  { events, dialect }: NewErrorDeps,
  projectId: number,
  { from, until }: Range,
  signal: AbortSignal,
): Promise<SeenDay[]> {
  const sql = dialect.newStatement('e');
  const list = `coalesce(${sql.json('$exception_list')}, '')`;
  const part = (key: string, name: string): string =>
    `coalesce(${sql.property(key)}, ${sql.capture(list, `"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`)})`;
  const words = `${part('$exception_type', 'type')} || ': ' || ${part('$exception_message', 'value')}`;
  const name = `coalesce(${sql.property('$exception_fingerprint')}, ${sql.replaceMatches(words, '[0-9]+', '0')})`;
  const time = sql.ms('e.timestamp');
  const rows = await events.query(
    `select substring(${name}, 1, ${MAX_NAME_LENGTH}) as name, min(${time}) as first, max(${time}) as last
    from event_rows e
    where e.project_id = ${sql.param(projectId)} and e.event = ${sql.param(EVENT)}
      and e.timestamp >= ${sql.time(from)} and e.timestamp < ${sql.time(until)}
    group by 1, ${sql.quotient(time, String(DAY_MS))}
    limit ${MAX_DAYS_OF_EXCEPTIONS + 1}`,
    sql.values,
    signal,
  );
  if (rows.length > MAX_DAYS_OF_EXCEPTIONS)
    throw invalid('config', 'There are too many kinds of exceptions to tell which are new: send a fingerprint.');
  return rows.map((row) => ({ name: String(row['name']), first: Number(row['first']), last: Number(row['last']) }));
}
