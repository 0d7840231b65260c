/** Property values in a form. */
export const VALUE_KINDS = [
  { value: 'text', label: 'String' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Boolean' },
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

export function readDraft({ kind, text }: Draft): { value: unknown } | { problem: string } {
  switch (kind) {
    case 'text':
      return { value: text };
    case 'number': {
      const number = Number(text.trim());
      const isNumber = text.trim() !== '' && Number.isFinite(number);
      return isNumber ? { value: number } : { problem: 'Not a number. Use a decimal point: 12.5' };
    }
    case 'boolean':
      return { value: text === 'true' };
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown };
      } catch {
        return { problem: 'Invalid JSON. Put strings and keys in double quotes: {"plan": "pro"}' };
      }
  }
}
