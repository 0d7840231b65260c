import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../core/errors.ts';
import { chosenProject, ownerOf } from './lookups.ts';
import type { Operation } from './operation.ts';

const POLL_INTERVAL_MS = 50;

/** Loads demo data and waits for it; if it is being loaded already, waits for that. */
export const loadDemo: Operation<{ project: number | null }, { project: number; events: number }> = async (
  deps,
  { project: id },
  outlet,
) => {
  const project = await chosenProject(deps.metadata, id);
  deps.demo.start(await ownerOf(deps.metadata, project.organizationId), project);
  for (;;) {
    const { state, sent, total, problem } = deps.demo.progress(project.id);
    outlet.progress({ what: 'events', done: sent, total });
    if (state === 'failed') throw new Failure('unavailable', problem ?? 'It failed.');
    if (state === 'done') break;
    outlet.signal.throwIfAborted();
    await sleep(POLL_INTERVAL_MS);
  }
  await deps.whenProcessed();
  return { project: project.id, events: deps.demo.progress(project.id).total };
};
