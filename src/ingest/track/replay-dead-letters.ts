/**
 * Replaying a dead letter: the event goes back into the log with its arrival time and request context, then the dead
 * letter is deleted. If the process dies in between, a second replay does no harm: the payload has the event's uuid, so
 * the second is a duplicate.
 *
 * A replay is accepted again and counted once more; `dead_lettered` is not taken back. So at any time
 * accepted = stored + duplicate + dropped + dead_lettered + pending.
 */
import { notFound } from '../../core/errors.ts';
import type { DeadLetter, DeadLetterStore } from '../../stores/metadata/event-records.ts';
import { type AcceptDeps, acceptEvents } from '../accept/accept-events.ts';
import { parseRequestContext } from '../accept/request-context.ts';

interface ReplayDeps extends AcceptDeps {
  deadLetters: DeadLetterStore;
}

export async function replayDeadLetter(deps: ReplayDeps, projectId: number, id: number): Promise<DeadLetter> {
  const letter = await deps.deadLetters.get(projectId, id);
  if (!letter) throw notFound();
  await replay(deps, letter);
  return letter;
}

/** The oldest first, at most `limit` of them; returns how many letters there were, and how many are left. */
export async function replayDeadLetters(
  deps: ReplayDeps,
  projectId: number,
  limit: number,
): Promise<{ replayed: number; remaining: number }> {
  // New ones have higher numbers: those that fail again are not replayed once more.
  const ids = await deps.deadLetters.listOldest(projectId, limit);
  for (const id of ids) {
    const letter = await deps.deadLetters.get(projectId, id);
    if (letter) await replay(deps, letter);
  }
  return { replayed: ids.length, remaining: await deps.deadLetters.count(projectId) };
}

async function replay(deps: ReplayDeps, letter: DeadLetter): Promise<void> {
  const { id, projectId, receivedAt, requestEvents } = letter;
  const context = parseRequestContext(letter.context);
  // In a list, since an event with a `batch` of its own would be taken for an envelope; but /engage/ needs a bare one.
  const isAsSent = requestEvents !== null || context.engage;
  const payload = Buffer.from(isAsSent ? letter.payload : `[${letter.payload}]`);
  await acceptEvents(deps, { projectId, receivedAt, context, count: requestEvents ?? 1, payload, subjects: [] });
  await deps.deadLetters.delete(projectId, id);
}
