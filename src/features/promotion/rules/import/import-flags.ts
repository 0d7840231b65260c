import { invalid } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json/json.ts';
import type { PortableFlag } from '../portable-flag.ts';
import { type FlagReader, NotImportable, toImportedFlag } from './decision-list.ts';
import { readGrowthBook } from './growthbook.ts';
import { readLaunchDarkly } from './launchdarkly.ts';
import { readUnleash } from './unleash.ts';

export const IMPORT_SOURCES = ['unleash', 'growthbook', 'launchdarkly'] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

const READERS: Record<ImportSource, (data: JsonObject, environment: string) => FlagReader[]> = {
  unleash: readUnleash,
  growthbook: readGrowthBook,
  launchdarkly: readLaunchDarkly,
};

export interface FlagImport {
  /** How many flags the data has. */
  total: number;
  /** Everybody gets the value that they had. */
  equal: PortableFlag[];
  /** Some users get another value. */
  differ: { flag: PortableFlag; reason: string }[];
  notImported: { key: string; why: string }[];
}

/** Converts each flag by itself: one that cannot be converted is listed, and does not keep others from it. */
export function convertFlags(source: ImportSource, data: JsonObject, environment: string): FlagImport {
  const flags = READERS[source](data, environment);
  if (flags.length === 0) throw invalid('data', `There are no flags in it: is it an export of ${source}?`);
  const result: FlagImport = { total: flags.length, equal: [], differ: [], notImported: [] };
  for (const flag of flags) convertOne(result, flag);
  return result;
}

function convertOne(result: FlagImport, { key, read }: FlagReader): void {
  try {
    const { flag, differs } = toImportedFlag(read());
    if (differs === null) result.equal.push(flag);
    else result.differ.push({ flag, reason: differs });
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    result.notImported.push({ key, why: error.message });
  }
}
