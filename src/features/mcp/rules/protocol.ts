/**
 * Which version of the protocol a request speaks. Since 2026-07-28 there is no handshake: every request names its version
 * and its client in `_meta`, and headers repeat what proxies route by. Before it, `initialize` came first, and requests
 * carry no more than a header with the version.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { RPC_ERRORS } from './json-rpc.ts';

export const MODERN_VERSION = '2026-07-28';
/** Newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const PROTOCOL_VERSIONS: readonly string[] = [MODERN_VERSION, ...HANDSHAKE_VERSIONS];

const META = 'io.modelcontextprotocol/';
export const META_KEYS = {
  version: `${META}protocolVersion`,
  client: `${META}clientInfo`,
  capabilities: `${META}clientCapabilities`,
  server: `${META}serverInfo`,
  subscription: `${META}subscriptionId`,
} as const;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

type Era =
  | { kind: 'modern' | 'handshake'; client: string | null }
  | { kind: 'refused'; code: number; detail: string; data?: Json };

/** The header `Mcp-Name` repeats this parameter. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function readEra(method: string, params: JsonObject, headers: Headers): Era {
  const { _meta } = params;
  const meta = isJsonObject(_meta) ? _meta : {};
  const claimed = meta[META_KEYS.version];
  const sent = headers['mcp-protocol-version'];
  if (claimed === undefined) return withoutClaim(sent);
  if (typeof claimed !== 'string') return refused(RPC_ERRORS.invalidParams, `${META_KEYS.version} has to be text.`);
  if (sent !== claimed)
    return refused(RPC_ERRORS.headerMismatch, 'The header MCP-Protocol-Version has to be the version in _meta.');
  if (claimed !== MODERN_VERSION) return unknownVersion(claimed);
  if (!isJsonObject(meta[META_KEYS.capabilities]))
    return refused(RPC_ERRORS.invalidParams, `_meta has to contain ${META_KEYS.capabilities}, an object.`);
  if (headers['mcp-method'] !== method)
    return refused(RPC_ERRORS.headerMismatch, 'The header Mcp-Method has to be the method in the body.');
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  if (typeof name === 'string' && decodeHeader(headers['mcp-name']) !== name)
    return refused(RPC_ERRORS.headerMismatch, `The header Mcp-Name has to be ${field} in the body.`);
  return { kind: 'modern', client: clientOf(meta[META_KEYS.client]) };
}

function withoutClaim(sent: string | string[] | undefined): Era {
  if (sent === MODERN_VERSION)
    return refused(
      RPC_ERRORS.invalidParams,
      `_meta has to contain ${META_KEYS.version} and ${META_KEYS.capabilities}.`,
    );
  if (sent === undefined || (HANDSHAKE_VERSIONS as readonly unknown[]).includes(sent))
    return { kind: 'handshake', client: null };
  return unknownVersion(String(sent).slice(0, 100));
}

const refused = (code: number, detail: string, data?: Json): Era => ({
  kind: 'refused',
  code,
  detail,
  ...(data === undefined ? {} : { data }),
});

const unknownVersion = (requested: string): Era =>
  refused(RPC_ERRORS.unknownVersion, 'Unknown protocol version.', { supported: [...PROTOCOL_VERSIONS], requested });

/** `=?base64?…?=` where the value does not fit into a header. */
function decodeHeader(value: string | string[] | undefined): string | null {
  if (typeof value !== 'string') return null;
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

function clientOf(info: Json | undefined): string | null {
  if (!isJsonObject(info) || typeof info['name'] !== 'string') return null;
  return typeof info['version'] === 'string' ? `${info['name']}/${info['version']}` : info['name'];
}
