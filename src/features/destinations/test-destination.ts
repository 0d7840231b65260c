/** Sends an invented event, marked as a test, at once. */
import type { Project } from '../../stores/metadata/accounts.ts';
import type { DestinationDeps } from './destinations.ts';
import { bodyText, eventBody, sentProject, templateValues } from './rules/event-values.ts';
import { type SendDeps, sendEvent } from './send/send-events.ts';
import type { Destination } from './store/destination-store.ts';

interface TestResult {
  status: 'success' | 'error';
  response_status: number | null;
  error: string | null;
  ms: number;
  /** What was sent. */
  body: string;
}

export async function testDestination(
  deps: DestinationDeps & SendDeps,
  project: Project,
  destination: Destination,
): Promise<TestResult> {
  const now = deps.clock.now();
  const uuid = deps.ids.uuid();
  const personId = deps.ids.uuid();
  const event = {
    uuid,
    event: 'test event',
    distinctId: 'test',
    personId,
    timestamp: now,
    createdAt: now,
    properties: JSON.stringify({ $is_test: true, $current_url: 'https://example.org/pricing' }),
    elementsChain: '',
  };
  const person = { uuid: personId, properties: { email: 'test@example.org' } };
  const body = eventBody(
    destination.inputs.body,
    templateValues(event, person, sentProject(project, deps.config.publicUrl)),
  );
  const start = performance.now();
  const signal = new AbortController().signal;
  const outcome = await sendEvent(deps, destination, { id: `test_${uuid}`, body }, { now, signal });
  return {
    status: outcome.kind === 'delivered' ? 'success' : 'error',
    response_status: outcome.kind === 'delivered' ? 200 : outcome.status,
    error: outcome.kind === 'delivered' ? null : outcome.why,
    ms: Math.round(performance.now() - start),
    body: bodyText(body),
  };
}
