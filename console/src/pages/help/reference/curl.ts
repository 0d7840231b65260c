import { type Endpoint, type Schema, schemaOf } from './openapi.ts';

/** Names of keys as the guides write them. */
const KEYS: Readonly<Record<string, string>> = {
  personalKey: 'PERSONAL_API_KEY',
  secretKey: 'SECRET_API_KEY',
  projectKey: 'PROJECT_API_KEY',
};

/** A command that calls an endpoint, with placeholders for keys and required fields. */
export function curlOf(endpoint: Endpoint, host: string): string {
  const key = (endpoint.security ?? []).flatMap((one) => Object.keys(one)).find((name) => name in KEYS);
  const body = schemaOf(endpoint.requestBody);
  const lines = [
    `curl ${endpoint.method === 'GET' ? '' : `-X ${endpoint.method} `}${host}${endpoint.path}`,
    key && `-H 'Authorization: Bearer ${KEYS[key]}'`,
    body && `-H 'Content-Type: application/json'`,
    body && `-d '${JSON.stringify(exampleOf(body)).replaceAll("'", "'\\''")}'`,
  ];
  return lines.filter(Boolean).join(' \\\n  ');
}

/** The smallest value that fits: required fields only. */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  if (schema.properties) {
    const required = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(field)]));
  }
  const type = [schema.type].flat()[0];
  if (type === 'string') return '…';
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return type === 'array' ? [] : {};
}
