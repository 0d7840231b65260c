import type { FirstStart } from '../features/accounts/bootstrap.ts';

/** Printed at the first start only: keys are stored as hashes and cannot be shown again. */
export function firstStartMessage(
  address: string,
  { projectId, projectKey, personalKey, setupToken }: FirstStart,
): string {
  const rule = '─'.repeat(78);
  const setUp = setupToken === null ? [] : ['', '  Set up your account:', `    ${address}/setup?token=${setupToken}`];
  return [
    rule,
    `  Cairn is ready at ${address}`,
    '',
    `  Project key    ${projectKey}`,
    `  Personal key   ${personalKey}`,
    '',
    '  Save the personal key: it is shown only once.',
    ...setUp,
    '',
    '  Capture an event:',
    '',
    `curl -X POST ${address}/capture/ -H 'Content-Type: application/json' \\`,
    `  -d '{"api_key": "${projectKey}", "event": "hello", "distinct_id": "me"}'`,
    '',
    '  Read it back:',
    '',
    `curl ${address}/api/projects/${projectId}/events/ -H 'Authorization: Bearer ${personalKey}'`,
    rule,
  ].join('\n');
}
