import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { META_KEYS, MODERN_VERSION, readEra } from './protocol.ts';

const META = { [META_KEYS.version]: MODERN_VERSION, [META_KEYS.capabilities]: {} };
const HEADERS = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'flag_get' };
const PARAMS = { name: 'flag_get', _meta: META };

describe('requests since 2026-07-28', () => {
  it('say who asks', () => {
    const client = { name: 'desk', version: '1.2' };
    const params = { ...PARAMS, _meta: { ...META, [META_KEYS.client]: client } };
    expect(readEra('tools/call', params, HEADERS)).toEqual({ kind: 'modern', client: 'desk/1.2' });
    expect(readEra('tools/call', PARAMS, HEADERS)).toEqual({ kind: 'modern', client: null });
  });

  it('may have a name that fits into no header', () => {
    const uri = 'cairn://project/1/flag/été';
    const headers = {
      ...HEADERS,
      'mcp-method': 'resources/read',
      'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=`,
    };
    expect(readEra('resources/read', { uri, _meta: META }, headers).kind).toBe('modern');
  });

  it.each<[string, JsonObject, Record<string, string | undefined>, number]>([
    ['no header with the version', PARAMS, { ...HEADERS, 'mcp-protocol-version': undefined }, -32_020],
    ['another version in the header', PARAMS, { ...HEADERS, 'mcp-protocol-version': '2025-11-25' }, -32_020],
    ['no header with the method', PARAMS, { ...HEADERS, 'mcp-method': undefined }, -32_020],
    ['another method in the header', PARAMS, { ...HEADERS, 'mcp-method': 'tools/list' }, -32_020],
    ['no header with the name', PARAMS, { ...HEADERS, 'mcp-name': undefined }, -32_020],
    ['another name in the header', PARAMS, { ...HEADERS, 'mcp-name': 'flag_update' }, -32_020],
    ['a name that is no base64', PARAMS, { ...HEADERS, 'mcp-name': '=?base64?***?=' }, -32_020],
    ['no capabilities', { ...PARAMS, _meta: { [META_KEYS.version]: MODERN_VERSION } }, HEADERS, -32_602],
    ['only the header', { name: 'flag_get' }, HEADERS, -32_602],
    ['a version that is no text', { _meta: { [META_KEYS.version]: 1 } }, HEADERS, -32_602],
    [
      'an unknown version',
      { _meta: { ...META, [META_KEYS.version]: '2030-01-01' } },
      { ...HEADERS, 'mcp-protocol-version': '2030-01-01' },
      -32_022,
    ],
    ['an unknown version in the header alone', {}, { 'mcp-protocol-version': '1999-01-01' }, -32_022],
  ])('are refused with %s', (_name, params, headers, code) => {
    expect(readEra('tools/call', params, headers)).toMatchObject({ kind: 'refused', code });
  });
});

it('knows the requests before', () => {
  for (const version of [undefined, '2025-03-26', '2025-06-18', '2025-11-25']) {
    const era = readEra('tools/call', { name: 'x' }, { 'mcp-protocol-version': version });
    expect(era).toEqual({ kind: 'handshake', client: null });
  }
});
