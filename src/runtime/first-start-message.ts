import type { FirstStart } from '../features/accounts/bootstrap.ts';
import { setupLink } from '../features/accounts/links.ts';

/**
 * Printed at the first start only: keys are stored as hashes and cannot be shown again. Keys that were supplied are not
 * printed, because output ends up in logs.
 */
export function firstStartMessage(
  address: string,
  { projectId, projectKey, personalKey, setupToken }: FirstStart,
  isListening = true,
): string {
  const rule = '─'.repeat(78);
  const setUp = setupToken === null ? [] : ['', '  Set up your account:', `    ${setupLink(address, setupToken)}`];
  return [
    rule,
    isListening ? `  Cairn is ready at ${address}` : `  Cairn was set up, but does not listen at ${address}`,
    '',
    `  Project key    ${projectKey ?? 'as set by INIT_PROJECT_API_KEY'}`,
    `  Personal key   ${personalKey ?? 'as set by INIT_PERSONAL_API_KEY'}`,
    ...(personalKey === null ? [] : ['', '  Save the personal key: it is shown only once.']),
    ...setUp,
    '',
    '  Capture an event:',
    '',
    `curl -X POST ${address}/capture/ -H 'Content-Type: application/json' \\`,
    `  -d '{"api_key": "${projectKey ?? 'PROJECT_KEY'}", "event": "hello", "distinct_id": "me"}'`,
    '',
    '  Read it back:',
    '',
    `curl ${address}/api/projects/${projectId}/events/ -H 'Authorization: Bearer ${personalKey ?? 'PERSONAL_KEY'}'`,
    rule,
  ].join('\n');
}
