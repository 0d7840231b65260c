/**
 * Replaying what was set aside. The event goes back into the log with its arrival time and what its request said, and
 * then its dead letter is removed. If the process dies between the two the letter is still there, and a second replay
 * does no harm: the payload carries the event's id, so the second is a duplicate.
 *
 * How it counts: a replay is accepted anew and meets one more fate. `dead_lettered` says how often events were set
 * aside and is not taken back. So accepted = stored + duplicate + dropped + dead_lettered + pending holds at any time.
 */
import { notFound } from '../../core/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import type { DeadLetter, DeadLetterStore } from '../../stores/metadata/event-records.ts';
import { parseRequestContext } from '../accept/request-context.ts';

interface ReplayDeps {
  deadLetters: DeadLetterStore;
  ingestion: { accept(entry: NewLogEntry): Promise<void> };
  ids: Pick<Ids, 'seed'>;
}

export async function replayDeadLetter(deps: ReplayDeps, projectId: number, id: number): Promise<DeadLetter> {
  const letter = await deps.deadLetters.get(projectId, id);
  if (!letter) throw notFound();
  await deps.ingestion.accept(entryOf(letter, deps.ids.seed()));
  await deps.deadLetters.delete(projectId, id);
  return letter;
}

/** As a list of one, since an event that has a `batch` of its own would pass for an envelope; bare where `engage` asks it. */
function entryOf({ projectId, receivedAt, context, payload }: DeadLetter, seed: Buffer): NewLogEntry {
  const text = parseRequestContext(context).engage ? payload : `[${payload}]`;
  return { projectId, receivedAt, events: 1, context, seed, payload: Buffer.from(text) };
}
