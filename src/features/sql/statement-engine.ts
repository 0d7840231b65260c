/** What runs statements: a copy of the project in a process of its own, or ClickHouse. */
import type { SqlAnswer, SqlRequest } from './child/protocol.ts';

export type Statement = Pick<
  SqlRequest,
  'sql' | 'placeholders' | 'rows' | 'isPostgres' | 'checkOnly' | 'explain' | 'maxBytes'
>;

/** What a statement reads. */
export interface StatementSource {
  /** Another one once there are newer rows; null: answers cannot be kept. */
  version: string | null;
  /** Events that were accepted until then are in it; ms UTC. */
  freshUntil: number;
  /** Events from before are not in it; ms UTC. Null: all are. */
  eventsFrom: number | null;
}

export interface StatementEngine<Source extends StatementSource = StatementSource> {
  /** At most `maxAgeMs` old. */
  open(projectId: number, maxAgeMs: number): Promise<Source>;
  /** Rejects with a `SqlRefusal`, or with a `Failure` where no process is free. With `file`, rows go into a Parquet file. */
  run(projectId: number, source: Source, statement: Statement, signal: AbortSignal, file?: string): Promise<SqlAnswer>;
  /** For a Parquet file; it is removed by whoever asked for it. */
  newFile(source: Source): string;
}
