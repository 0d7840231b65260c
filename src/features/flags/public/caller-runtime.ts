/** Where a caller runs: a flag may be for clients only, or for servers only. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../../../core/json/json.ts';
import type { CallerRuntime } from '../decide/flag-snapshots.ts';

const CLIENT_SDK = /posthog-(?:android|ios|react-native|flutter)\//i;
const SERVER =
  /posthog-(?:python|ruby|php|java|go|node|dotnet|elixir)\/|python-(?:requests|httpx)|go-http-client|curl\/|^(?:node|undici)$/i;
const BROWSER = /mozilla|chrome|safari|firefox|edge?\/|opera|opr\//i;

export function callerRuntime(declared: Json | undefined, headers: IncomingHttpHeaders): CallerRuntime {
  if (declared === 'client' || declared === 'server') return declared;
  const agent = headers['user-agent'] ?? '';
  if (CLIENT_SDK.test(agent)) return 'client';
  if (SERVER.test(agent)) return 'server';
  if (BROWSER.test(agent)) return 'client';
  const isFromPage = headers.origin ?? headers.referer ?? headers['sec-fetch-mode'] ?? headers['sec-fetch-site'];
  return isFromPage === undefined ? 'unknown' : 'client';
}
