/** Reads the export of another product. The server checks what is in it. */
import type { ImportSource } from '../../../api/flag-imports.ts';
import { formatBytes } from '../../../lib/numbers.ts';

export interface ExportFile {
  name: string;
  /** JSON, as it was read. */
  text: string;
  /** Of Unleash and LaunchDarkly: the names in it. */
  environments: Partial<Record<ImportSource, string[]>>;
}

/** What to tell whoever chose the file. */
export class FileProblem extends Error {}

/** The server takes 20 MiB for the whole request. */
const MAX_FILE_BYTES = 20_000_000;

export function requireSize(name: string, bytes: number): void {
  if (bytes <= MAX_FILE_BYTES) return;
  throw new FileProblem(
    `${name} has ${formatBytes(bytes)}. The limit is ${formatBytes(MAX_FILE_BYTES)}: export fewer flags at a time.`,
  );
}

export function readExport(name: string, text: string): ExportFile {
  if (text.trim() === '') throw new FileProblem(`${name} is empty.`);
  const data = parse(name, text);
  if (!isRecord(data)) {
    const what = Array.isArray(data) ? 'a list' : data === null ? 'null' : `a ${typeof data}`;
    throw new FileProblem(`${name} is ${what}. An export is a JSON object: choose the whole response or file.`);
  }
  const environments = { unleash: unleashEnvironments(data), launchdarkly: launchDarklyEnvironments(data) };
  return { name, text, environments };
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const format = formatOf(text);
    const reason = format === null ? (error as Error).message : `it looks like ${format}`;
    throw new FileProblem(`${name} is not JSON: ${reason}. Export it as JSON.`);
  }
}

/** What people choose by mistake. */
function formatOf(text: string): string | null {
  const start = text.trimStart();
  if (start.startsWith('<')) return 'a web page';
  if (start.startsWith('PK')) return 'a ZIP archive';
  if (/^(?:---|[\w$-]+:(?:\s|$))/.test(start)) return 'YAML';
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const unleashEnvironments = (data: Record<string, unknown>): string[] =>
  uniqueTexts(recordsIn(data['featureEnvironments']).map(({ environment }) => environment));

const launchDarklyEnvironments = (data: Record<string, unknown>): string[] =>
  uniqueTexts(
    recordsIn(data['items']).flatMap(({ environments }) => Object.keys(isRecord(environments) ? environments : {})),
  );

const uniqueTexts = (values: readonly unknown[]): string[] =>
  [...new Set(values.filter((value) => typeof value === 'string'))].sort();

/** The one that was chosen, if the file has it; otherwise production, or the first. */
export function environmentFor(environments: readonly string[], chosen: string): string {
  if (environments.length === 0 || environments.includes(chosen)) return chosen;
  return environments.includes('production') ? 'production' : (environments[0] ?? chosen);
}
