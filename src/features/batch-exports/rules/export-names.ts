/** Names of files: the same for the same run, and never those of another run of the export. */
import { invalid } from '../../../core/errors.ts';

/** What a name is made of. */
export interface NamedRun {
  model: string;
  startAt: number;
  endAt: number;
}

const VARIABLES = ['year', 'month', 'day', 'hour', 'data_interval_start', 'data_interval_end', 'model'] as const;
type Variable = (typeof VARIABLES)[number];

const MAX_PREFIX_LENGTH = 512;
/** What some file systems and stores read as something else, and control characters. */
const FORBIDDEN = /[\\:*?"<>|]|\p{Cc}/u;

/** A folder below the destination, in which variables are filled in; without a slash at either end. */
export function readPrefix(attr: string, name: string, given: unknown): string {
  if (given === undefined || given === null) return '';
  if (typeof given !== 'string') throw invalid(attr, `${name} is a text such as "cairn/{year}/{month}".`);
  const prefix = given.replace(/^\/+|\/+$/g, '');
  if (prefix.length > MAX_PREFIX_LENGTH) throw invalid(attr, `${name} has at most ${MAX_PREFIX_LENGTH} characters.`);
  if (prefix === '') return '';
  const steps = prefix.split('/');
  if (steps.some((step) => step === '..' || step === '.' || step === ''))
    throw invalid(attr, `${name} is a path of names: it must not contain "..", "." or an empty name.`);
  if (FORBIDDEN.test(prefix)) throw invalid(attr, `${name} contains a character that names of files do not have.`);
  const unknown = [...prefix.matchAll(/\{([^{}]*)\}/g)].find(([, variable]) => !isVariable(variable));
  if (unknown || /[{}]/.test(prefix.replace(/\{[^{}]*\}/g, '')))
    throw invalid(attr, `${name} knows {${VARIABLES.join('}, {')}}${unknown ? `, not ${unknown[0]}` : ''}.`);
  return prefix;
}

const isVariable = (name: string | undefined): name is Variable => VARIABLES.some((one) => one === name);

/** `2026-11-15T10-00-00Z`: colons are no part of names on every system. */
const timeName = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

/** The variables of a time are those of the start, so that a day's files are in the folder of that day. */
function fill(prefix: string, { model, startAt, endAt }: NamedRun): string {
  const [year = '', month = '', day = '', hour = ''] = new Date(startAt).toISOString().split(/[-T:]/);
  const values: Record<Variable, string> = {
    year,
    month,
    day,
    hour,
    data_interval_start: timeName(startAt),
    data_interval_end: timeName(endAt),
    model,
  };
  return prefix.replace(/\{(\w+)\}/g, (_, name: Variable) => values[name]);
}

const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

export function partName(prefix: string, run: NamedRun, number: number, { extension }: { extension: string }): string {
  const interval = `${timeName(run.startAt)}_${timeName(run.endAt)}`;
  return below(fill(prefix, run), `${interval}/part-${String(number).padStart(3, '0')}.${extension}`);
}

export const manifestName = (prefix: string, run: NamedRun): string =>
  below(fill(prefix, run), `manifest_${timeName(run.startAt)}_${timeName(run.endAt)}.json`);

export const extensionOf = (format: string, compression: 'gzip' | 'zstd' | null): string =>
  format === 'Parquet' ? 'parquet' : `jsonl${compression === null ? '' : LINE_EXTENSIONS[compression]}`;

const LINE_EXTENSIONS = { gzip: '.gz', zstd: '.zst' } as const;
