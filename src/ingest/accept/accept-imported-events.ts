/** Events from another installation: checked first, so that the import can list those that would be dropped. */
import { changedSubjects } from '../../core/events/changed-subjects.ts';
import { normalise } from '../../core/events/normalise.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AcceptDeps, acceptEvents } from './accept-events.ts';

/** For each event why it would not be stored, or null. Resolves when the others are on disk. */
export async function acceptImportedEvents(
  deps: AcceptDeps & { clock: Clock },
  project: { id: number; anonymizeIps: boolean },
  events: readonly JsonObject[],
): Promise<(string | null)[]> {
  const subjects = changedSubjects(events, false);
  // Serialized first, since normalising changes an event in place.
  const texts = events.map((event) => stringifyExact(event));
  const receivedAt = deps.clock.now();
  const { id: projectId, anonymizeIps } = project;
  const context = { projectId, receivedAt, sentAt: null, ip: null, anonymizeIps, engage: false, fallbackUuid: '' };
  const reasons = events.map((event) => {
    const outcome = normalise(event, context);
    return outcome.kind === 'dropped' ? outcome.reason : null;
  });
  const accepted = texts.filter((_, i) => reasons[i] === null);
  if (accepted.length > 0) {
    await acceptEvents(deps, {
      projectId,
      receivedAt,
      count: accepted.length,
      payload: Buffer.from(`[${accepted.join(',')}]`),
      context: { historical: true, imported: true },
      subjects,
    });
  }
  return reasons;
}
