/** Events that could not be processed: how many there are, and replaying them. */
import { replayDeadLetters } from '../ingest/track/replay-dead-letters.ts';
import type { OperateDeps } from './deps.ts';
import { chosenProject } from './lookups.ts';
import type { Operation } from './operation.ts';

interface LettersOfProject {
  project: number;
  name: string;
  deadLetters: number;
}

interface Chosen {
  /** Null: all projects. */
  project: number | null;
}

const projectsOf = async ({ metadata }: OperateDeps, { project }: Chosen) =>
  project === null ? metadata.projects.listAll() : [await chosenProject(metadata, project)];

export const countDeadLetters: Operation<Chosen, LettersOfProject[]> = async (deps, chosen) => {
  const counted: LettersOfProject[] = [];
  for (const { id, name } of await projectsOf(deps, chosen)) {
    const deadLetters = await deps.metadata.deadLetters.count(id);
    if (deadLetters > 0) counted.push({ project: id, name, deadLetters });
  }
  return counted;
};

const REPLAYED_AT_ONCE = 100;

/** Those that there are now, and waits for them: `failed` are dead letters again. */
export const replayAllDeadLetters: Operation<Chosen, { replayed: number; failed: number }> = async (
  deps,
  chosen,
  outlet,
) => {
  const found = await countDeadLetters(deps, chosen, outlet);
  const total = found.reduce((sum, { deadLetters }) => sum + deadLetters, 0);
  let replayed = 0;
  for (const { project, deadLetters } of found) {
    for (let left = deadLetters; left > 0; left -= REPLAYED_AT_ONCE) {
      outlet.signal.throwIfAborted();
      const replay = { ...deps, deadLetters: deps.metadata.deadLetters };
      replayed += (await replayDeadLetters(replay, project, Math.min(left, REPLAYED_AT_ONCE))).replayed;
      outlet.progress({ what: 'events', done: replayed, total });
    }
  }
  await deps.whenProcessed();
  const left = await countDeadLetters(deps, chosen, outlet);
  return { replayed, failed: left.reduce((sum, { deadLetters }) => sum + deadLetters, 0) };
};
