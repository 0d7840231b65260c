/** The name of a source, from a referring host or a tag such as `utm_source`. */
import { SOURCES, type SourceKind } from './sources.ts';

interface KnownSource {
  name: string;
  kind: SourceKind;
}

/** What is shown where nothing says where a session came from. */
const NO_SOURCE = 'Direct / none';

/** Referrers that are no host: the SDK's word for none. */
export const DIRECT = '$direct';

const KNOWN: ReadonlyMap<string, KnownSource> = new Map(
  Object.entries(SOURCES).flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([name, texts]) =>
      (texts as readonly string[]).map((text) => [text, { name, kind: kind as SourceKind }] as const),
    ),
  ),
);

/** The first label of country domains such as `co.uk`. */
const SECOND_LEVEL = new Set(['co', 'com', 'org', 'net', 'ne', 'or', 'go', 'ac', 'gov', 'edu']);

/** A host without `www.`, port and final dot, in lower case; `android-app://x/…` is `x`. Tags stay as they are. */
export function cleanHost(text: string): string {
  const lower = text.trim().toLowerCase();
  const app = /^android-app:\/\/([^/]*)/.exec(lower);
  if (app !== null) return app[1] ?? '';
  const host = lower.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/[/?#].*$/s, '');
  return host
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
}

/** Looked for as it is, then without its leftmost label, and so on; a word only whole. */
export function findSource(text: string): KnownSource | null {
  const host = cleanHost(text);
  const labels = host.split('.');
  const last = labels.length === 1 ? 1 : labels.length - 1;
  for (let at = 0; at < last; at++) {
    const rest = labels.slice(at);
    const found = KNOWN.get(rest.join('.')) ?? (rest.length > 1 ? underAnyDomain(rest) : undefined);
    if (found !== undefined) return found;
  }
  return null;
}

/** `google.de` and `google.co.uk` for `google.*`, also `search.yahoo.com` for `search.yahoo.*`. */
function underAnyDomain(labels: readonly string[]): KnownSource | undefined {
  const one = KNOWN.get(`${labels.slice(0, -1).join('.')}.*`);
  if (one !== undefined) return one;
  const [second = '', top = ''] = labels.slice(-2);
  if (labels.length < 3 || !SECOND_LEVEL.has(second) || top.length !== 2) return undefined;
  return KNOWN.get(`${labels.slice(0, -2).join('.')}.*`);
}

/** The name that is shown: unknown hosts themselves, unknown tags as they were sent. */
export function sourceName(text: string): string {
  if (text === '') return NO_SOURCE;
  const known = findSource(text);
  if (known !== null) return known.name;
  return /^[\w-]+(\.[\w-]+)+(:\d+)?\.?$/.test(text) ? cleanHost(text) : text;
}
