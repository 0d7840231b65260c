import { expect, it } from 'vitest';
import type { Json } from '../../../core/json/json.ts';
import { readMessage } from './json-rpc.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
it.each<[string, Json | undefined, string]>([
  ['a request', request, 'request'],
  ['one with text for an id', { ...request, id: 'a' }, 'request'],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 'notification'],
  ['a batch', [request], 'invalid'],
  ['nothing', undefined, 'invalid'],
  ['text', 'ping', 'invalid'],
  ['another version', { ...request, jsonrpc: '1.0' }, 'invalid'],
  ['no method', { jsonrpc: '2.0', id: 1 }, 'invalid'],
  ['null for an id', { ...request, id: null }, 'invalid'],
  ['a list for params', { ...request, params: [] }, 'invalid'],
])('%s', (_name, body, kind) => expect(readMessage(body).kind).toBe(kind));
