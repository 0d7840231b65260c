import { describe, expect, it } from 'vitest';
import { curlOf, exampleOf } from './curl.ts';
import { type Endpoint, endpointsOf, limitsText, objectIn, searchEndpoints, typeText } from './openapi.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'object', required: ['key'], properties: { key: TEXT, name: TEXT } };

describe('the API reference', () => {
  it.each([
    [TEXT, 'string'],
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ anyOf: [TEXT, { type: 'null' }] }, 'string | null'],
    [{ anyOf: [{ enum: ['a'] }, { enum: ['b'] }] }, '"a" | "b"'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{}, 'any'],
  ])('names the type of %j: %s', (schema, text) => expect(typeText(schema)).toBe(text));

  it('says limits, and finds the fields of lists and alternatives', () => {
    expect(limitsText({ minLength: 1, maxLength: 400 })).toBe('at most 400 characters');
    expect(limitsText({ minimum: 1, maximum: 9 })).toBe('at least 1, at most 9');
    expect(objectIn({ anyOf: [{ type: 'array', items: FLAG }, { type: 'null' }] })).toBe(FLAG);
    expect(objectIn(TEXT)).toBeNull();
  });

  it('lists endpoints, and searches them by word', () => {
    const flags = '/api/projects/{project_id}/feature_flags/';
    const all = endpointsOf({
      info: {},
      paths: { [flags]: { get: { summary: 'List' }, post: { summary: 'Create a flag' } } },
    });
    expect(all.map(({ id }) => id)).toEqual([`GET ${flags}`, `POST ${flags}`]);
    expect(searchEndpoints(all, 'create FEATURE').map(({ method }) => method)).toEqual(['POST']);
  });

  it('gives a command with the required fields', () => {
    const endpoint: Endpoint = {
      id: '',
      method: 'POST',
      path: '/x/',
      security: [{ personalKey: [] }, { session: [] }],
      requestBody: { content: { 'application/json': { schema: FLAG } } },
    };
    expect(curlOf(endpoint, 'https://cairn.example.org')).toBe(
      `curl -X POST https://cairn.example.org/x/ \\\n  -H 'Authorization: Bearer PERSONAL_API_KEY' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"key":"…"}'`,
    );
    expect(exampleOf({ examples: [{ groups: [] }] })).toEqual({ groups: [] });
    expect(exampleOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe(1);
  });
});
