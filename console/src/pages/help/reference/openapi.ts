/** The parts of the OpenAPI document that the reader shows. */
export interface Schema {
  type?: string | readonly string[];
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Content {
  content?: Readonly<Record<string, { schema?: Schema }>>;
}

export interface Operation {
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly { in: string; name: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses?: Readonly<Record<string, Content & { description?: string }>>;
  security?: readonly Readonly<Record<string, unknown>>[];
}

export interface ApiDocument {
  info: { description?: string };
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components?: { securitySchemes?: Readonly<Record<string, { description?: string }>> };
}

export interface Endpoint extends Operation {
  /** `POST /api/projects/{project_id}/actions/` */
  id: string;
  method: string;
  path: string;
}

export const endpointsOf = ({ paths }: ApiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const method = name.toUpperCase();
      return { ...operation, id: `${method} ${path}`, method, path };
    }),
  );

export const schemaOf = (holder: Content | undefined): Schema | undefined =>
  Object.values(holder?.content ?? {}).find(({ schema }) => schema)?.schema;

/** Endpoints whose path or summary has every word. */
export function searchEndpoints(endpoints: readonly Endpoint[], text: string): Endpoint[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return endpoints.filter(({ id, summary = '' }) => {
    const where = `${id} ${summary}`.toLowerCase();
    return words.every((word) => where.includes(word));
  });
}

/** `string | null`, `'a' | 'b'`, `list of integer`. */
export function typeText(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' | ');
  if (schema.items) return `list of ${typeText(schema.items)}`;
  const type = schema.type === undefined ? 'any' : [schema.type].flat().join(' | ');
  return schema.format ? `${type} (${schema.format})` : type;
}

/** 'at most 400 characters', 'at least 1'. */
export function limitsText({ minimum, maximum, minLength, maxLength, maxItems }: Schema): string {
  const limits = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    minLength !== undefined && minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} entries`,
  ];
  return limits.filter(Boolean).join(', ');
}

/** The object whose fields are shown: the schema itself, an alternative, or an entry of a list. */
export function objectIn(schema: Schema): Schema | null {
  if (schema.properties) return schema;
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  for (const one of inner) {
    const found = objectIn(one);
    if (found) return found;
  }
  return null;
}
