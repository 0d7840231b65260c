/** Properties as people write them in a form, and back. */
export const VALUE_KINDS = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'json', label: 'JSON' },
] as const;

export type ValueKind = (typeof VALUE_KINDS)[number]['value'];

export interface Draft {
  kind: ValueKind;
  text: string;
}

export function draftOf(value: unknown): Draft {
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value) };
  return { kind: 'json', text: value === undefined ? '' : JSON.stringify(value, null, 2) };
}

/** The value that a draft means, or what is wrong with it. */
export function readDraft({ kind, text }: Draft): { value: unknown } | { problem: string } {
  switch (kind) {
    case 'text':
      return { value: text };
    case 'number': {
      const number = Number(text.trim());
      const isNumber = text.trim() !== '' && Number.isFinite(number);
      return isNumber ? { value: number } : { problem: 'This is no number. Write it with a point: 12.5' };
    }
    case 'boolean':
      return { value: text === 'true' };
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return { problem: 'This is no JSON. Texts stand in double quotes, and names too: {"plan": "pro"}' };
      }
  }
}

/** Those that people named come first; what SDKs set by themselves begins with a $ and stands behind. */
export function sortedProperties(properties: Readonly<Record<string, unknown>>): [string, unknown][] {
  const rank = (key: string): number => (key.startsWith('$') ? 1 : 0);
  return Object.entries(properties).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
}
