/** Runs statements on a copy of their project. */
import type { Ids } from '../../lib/ids.ts';
import type { UsableCopy } from './project-copies.ts';
import type { SqlRunner } from './sql-runner.ts';
import type { StatementEngine, StatementSource } from './statement-engine.ts';
import type { StatementSlots } from './statement-slots.ts';

interface CopyEngineDeps {
  runner: SqlRunner;
  slots: StatementSlots;
  ids: Pick<Ids, 'uuid'>;
  copy(projectId: number, maxAgeMs: number): Promise<UsableCopy>;
}

export const copyEngine = ({ runner, slots, ids, copy }: CopyEngineDeps): StatementEngine => ({
  async open(projectId, maxAgeMs) {
    const { path, freshUntil } = await copy(projectId, maxAgeMs);
    // The path is another one for each copy.
    return { version: path, freshUntil };
  },
  run: (projectId, source, statement, signal, file) =>
    slots.run(projectId, signal, () =>
      runner.run({ ...statement, path: pathOf(source), ...(file === undefined ? {} : { file }) }, signal),
    ),
  newFile: (source) => `${pathOf(source)}.${ids.uuid()}.parquet`,
});

const pathOf = ({ version }: StatementSource): string => version ?? '';
