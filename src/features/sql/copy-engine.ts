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

/** The files of a copy. */
interface CopyFiles extends StatementSource {
  path: string;
  earlier: string | null;
}

export const copyEngine = ({ runner, slots, ids, copy }: CopyEngineDeps): StatementEngine<CopyFiles> => ({
  async open(projectId, maxAgeMs) {
    const { path, earlier, freshUntil, eventsFrom } = await copy(projectId, maxAgeMs);
    // The path is another one for each copy.
    return { version: path, freshUntil, eventsFrom, path, earlier: earlier?.path ?? null };
  },
  run: (projectId, { path, earlier }, statement, signal, file) =>
    slots.run(projectId, signal, () =>
      runner.run({ ...statement, path, earlier, ...(file === undefined ? {} : { file }) }, signal),
    ),
  newFile: ({ path }) => `${path}.${ids.uuid()}.parquet`,
});
