/** Reads the OpenAPI document, makes examples from it, and checks responses against it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './client.ts';

export interface Schema {
  examples?: unknown[];
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  patternProperties?: Record<string, Schema>;
}

interface Content {
  content?: { 'application/json'?: { schema: Schema } };
}

export interface Operation {
  method: string;
  /** With its parameters in braces. */
  path: string;
  body: Schema | undefined;
  /** Names of the parameters in the path. */
  params: string[];
  /** True: requires a personal key or a session. */
  isPrivate: boolean;
  /** True: accepts the secret key of the project. */
  takesSecretKey: boolean;
  /** The required level in the organization, if any. */
  level: number | undefined;
  /** What a personal key needs: scopes, `*`, or nothing; absent for public routes. */
  scopes: readonly string[] | undefined;
  responses: Record<string, Content>;
}

interface Described {
  requestBody?: Content;
  security?: object[];
  'x-least-level'?: number;
  'x-required-scope'?: string[];
  responses: Record<string, Content>;
}

export class OpenApi {
  readonly operations: readonly Operation[];
  readonly document: { paths: Record<string, Record<string, Described>> };
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: OpenApi['document']) {
    this.document = document;
    // Both packages are CommonJS: what TypeScript calls a namespace is the function itself.
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        method: method.toUpperCase(),
        path,
        body: described.requestBody?.content?.['application/json']?.schema,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        takesSecretKey: (described.security ?? []).some((scheme) => 'secretKey' in scheme),
        isPrivate: (described.security ?? []).some((scheme) => 'personalKey' in scheme),
        level: described['x-least-level'],
        scopes: described['x-required-scope'],
        responses: described.responses,
      })),
    );
  }

  static async of(server: { url: string }): Promise<OpenApi> {
    const response = await fetch(`${server.url}/api/schema/`);
    return new OpenApi((await response.json()) as OpenApi['document']);
  }

  find(method: string, path: string): Operation | undefined {
    const wanted = split(path);
    const fits = (operation: Operation): boolean => {
      const pattern = split(operation.path);
      return pattern.length === wanted.length && pattern.every((part, i) => part.startsWith('{') || part === wanted[i]);
    };
    const found = this.operations.filter((operation) => operation.method === method.toUpperCase() && fits(operation));
    // `/a/activity/` is more of a match for `/a/activity/` than `/a/{id}/` is.
    return found.sort((a, b) => a.params.length - b.params.length)[0];
  }

  /** How a response differs from the document; empty if it matches. */
  problemsOf(method: string, path: string, answer: Pick<Answer, 'status' | 'body'>): string[] {
    const name = `${method} ${path} → ${answer.status}`;
    const operation = this.find(method, path);
    if (!operation) return [`${name}: the document has no such operation`];
    const { responses } = operation;
    const described = responses[answer.status] ?? responses[`${String(answer.status)[0]}XX`];
    if (!described) return [`${name}: the document knows only ${Object.keys(responses).join(', ')}`];
    const schema = described.content?.['application/json']?.schema;
    if (!schema) return answer.body === '' ? [] : [`${name}: the document promises no body`];
    const isValid = this.#ajv.compile(schema);
    if (isValid(answer.body)) return [];
    return (isValid.errors ?? []).map((error) => `${name}: ${error.instancePath || 'body'} ${error.message}`);
  }
}

const split = (path: string): string[] => (path.split('?', 1)[0] ?? '').split('/').filter((part) => part !== '');

const BY_FORMAT: Record<string, string> = {
  email: 'somebody@example.org',
  uuid: '018f0000-0000-7000-8000-000000000000',
  uri: 'https://example.org/',
  'date-time': '2026-01-15T12:00:00Z',
};

/** A value that matches the schema, with all fields. */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {});
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, exampleOf(field)]));
  }
  switch (schema.type) {
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? 'UTC'.padEnd(schema.minLength ?? 0, 'x');
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return null;
  }
}
