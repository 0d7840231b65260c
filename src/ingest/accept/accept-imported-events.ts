/** Events from another installation: checked first, so that those which would be dropped can be told apart. */
import { changedSubjects } from '../../core/events/changed-subjects.ts';
import { normalise } from '../../core/events/normalise.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { AcceptDeps } from './accept-events.ts';
import { serializeRequestContext } from './request-context.ts';

/** For each event why it would not be stored, or null. Resolves when the others are on disk. */
export async function acceptImportedEvents(
  { ingestion, clock, ids }: AcceptDeps,
  project: { id: number; anonymizeIps: boolean },
  events: readonly JsonObject[],
): Promise<(string | null)[]> {
  const subjects = changedSubjects(events, false);
  // Before they are looked at: normalising completes an event in place.
  const texts = events.map((event) => JSON.stringify(event));
  const receivedAt = clock.now();
  const { id: projectId, anonymizeIps } = project;
  const context = { projectId, receivedAt, sentAt: null, ip: null, anonymizeIps, engage: false, fallbackUuid: '' };
  const refusals = events.map((event) => {
    const outcome = normalise(event, context);
    return outcome.kind === 'dropped' ? outcome.reason : null;
  });
  const kept = texts.filter((_, i) => refusals[i] === null);
  if (kept.length === 0) return refusals;
  await ingestion.accept(
    {
      projectId,
      receivedAt,
      events: kept.length,
      context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: true, imported: true }),
      seed: ids.seed(),
      payload: Buffer.from(`[${kept.join(',')}]`),
    },
    subjects,
  );
  return refusals;
}
