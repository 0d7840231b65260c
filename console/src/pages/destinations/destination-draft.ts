/** A webhook of events as the form changes it. */
import type { Destination, DestinationWrite } from '../../api/destinations.ts';
import { type EventFilters, NO_EVENT_FILTERS, readEventFilters, writeEventFilters } from './event-filters.ts';

export const METHODS = [
  { value: 'POST', label: 'POST' },
  { value: 'PUT', label: 'PUT' },
  { value: 'PATCH', label: 'PATCH' },
] as const;
export type HttpMethod = (typeof METHODS)[number]['value'];

export interface HeaderDraft {
  name: string;
  /** `******`: the one that is stored. */
  value: string;
}

export interface DestinationDraft {
  name: string;
  description: string;
  url: string;
  method: HttpMethod;
  headers: readonly HeaderDraft[];
  /** JSON, or a text; empty: everything. */
  body: string;
  batch: boolean;
  events: EventFilters;
  isMasked: boolean;
  maskHash: string;
  maskMinutes: string;
  /** Empty: one within the time. */
  maskThreshold: string;
}

const DEFAULT_MASK = { isMasked: false, maskHash: '{person.id}', maskMinutes: '60', maskThreshold: '' };

export const newDraft = (): DestinationDraft => ({
  name: '',
  description: '',
  url: '',
  method: 'POST',
  headers: [],
  body: '',
  batch: false,
  events: NO_EVENT_FILTERS,
  ...DEFAULT_MASK,
});

const inputOf = (inputs: Destination['inputs'], name: string): unknown =>
  (inputs as Record<string, { value?: unknown } | undefined>)[name]?.value;

export function draftOf({ name, description, inputs, filters, masking }: Destination): DestinationDraft {
  const body = inputOf(inputs, 'body') ?? null;
  const headers = (inputOf(inputs, 'headers') ?? {}) as Record<string, string>;
  const mask = masking as { hash: string; ttl: number; threshold: number | null } | null;
  return {
    name,
    description,
    url: String(inputOf(inputs, 'url') ?? ''),
    method: METHODS.find(({ value }) => value === inputOf(inputs, 'method'))?.value ?? 'POST',
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
    body: body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body, null, 2),
    batch: inputOf(inputs, 'batch') === true,
    events: readEventFilters(filters as Record<string, unknown>),
    ...(mask === null
      ? DEFAULT_MASK
      : {
          isMasked: true,
          maskHash: mask.hash,
          maskMinutes: String(mask.ttl / 60),
          maskThreshold: mask.threshold === null ? '' : String(mask.threshold),
        }),
  };
}

const isJsonStart = (text: string): boolean => /^[{[]/.test(text) && !/^\{\s*(?:event|person|project)\b/.test(text);

/** A template that looks like JSON has to be some; anything else is a text. */
function parseBody(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return isJsonStart(trimmed) ? JSON.parse(trimmed) : trimmed;
}

/** What is missing before it can be saved; null if nothing is. */
export function missingIn(draft: DestinationDraft): string | null {
  const { url, headers, body, isMasked, maskHash, maskMinutes } = draft;
  if (!URL.canParse(url.trim()) || !/^https?:/.test(url.trim())) return 'Enter the address of the webhook.';
  if (headers.some(({ name, value }) => name.trim() === '' && value !== '')) return 'A header has no name.';
  const names = headers.map(({ name }) => name.trim().toLowerCase()).filter((name) => name !== '');
  if (new Set(names).size < names.length) return 'Two headers have the same name.';
  try {
    parseBody(body);
  } catch {
    return 'The body is not JSON: check its commas and quotes.';
  }
  if (isMasked && maskHash.trim() === '') return 'Say which events are alike.';
  if (isMasked && !(Number(maskMinutes) >= 1)) return 'The time of events that are alike is a number of minutes.';
  return null;
}

export function bodyOf(draft: DestinationDraft): DestinationWrite {
  const { name, description, url, method, headers, body, batch, events } = draft;
  const named = headers.map((header) => ({ ...header, name: header.name.trim() })).filter((one) => one.name !== '');
  return {
    template_id: 'template-webhook',
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    description,
    filters: writeEventFilters(events),
    inputs: {
      url: { value: url.trim() },
      method: { value: method },
      headers: { value: Object.fromEntries(named.map((one) => [one.name, one.value])) },
      body: { value: parseBody(body) },
      batch: { value: batch },
    },
    masking: maskingOf(draft),
  };
}

function maskingOf({ isMasked, maskHash, maskMinutes, maskThreshold }: DestinationDraft) {
  if (!isMasked) return null;
  const threshold = maskThreshold.trim() === '' ? null : Number(maskThreshold);
  return { hash: maskHash.trim(), ttl: Math.round(Number(maskMinutes) * 60), threshold };
}
