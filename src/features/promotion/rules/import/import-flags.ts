import type { JsonObject } from '../../../../core/json/json.ts';
import { hasVendorBucketing } from '../../../flags/rules/filters-shape.ts';
import { NotRehashable, rehash } from '../../../flags/rules/rehash.ts';
import type { PortableCohort } from '../portable-cohort.ts';
import { normalizeFilters, type PortableFlag } from '../portable-flag.ts';
import { type FlagReader, type ImportedFlag, NotImportable } from './decision-list.ts';
import { readFlagd } from './flagd.ts';
import { readGrowthBook } from './growthbook.ts';
import { type ImportSource, requireSource } from './import-source.ts';
import { readLaunchDarkly } from './launchdarkly.ts';
import { readPostHog, readPostHogCohorts } from './posthog.ts';
import { readUnleash } from './unleash.ts';

const READERS: Record<ImportSource, (data: JsonObject, environment: string, now: number) => FlagReader[]> = {
  unleash: readUnleash,
  growthbook: readGrowthBook,
  launchdarkly: readLaunchDarkly,
  posthog: readPostHog,
  flagd: readFlagd,
};

export interface ConvertedFlag {
  /** Everybody gets the value that they had. */
  flag: PortableFlag;
  /** Null: `flag` hashes users as all flags here do. */
  percentages: { flag: PortableFlag; reason: null } | { flag: null; reason: string } | null;
  /** Keys of the flags whose values it asks for. */
  dependsOn: string[];
}

export interface ConvertedFlags {
  converted: ConvertedFlag[];
  /** Those that conditions may refer to. */
  cohorts: PortableCohort[];
  notImported: { key: string; why: string }[];
}

/** Converts each flag by itself: one that cannot be converted is listed, and does not keep others from it. */
export function convertFlags(source: ImportSource, data: JsonObject, environment: string, now: number): ConvertedFlags {
  const flags = READERS[source](data, environment, now);
  const conversion = new Conversion(flags);
  const cohorts = source === 'posthog' ? readPostHogCohorts(data) : [];
  const result: ConvertedFlags = { converted: [], cohorts, notImported: [] };
  for (const { key } of flags) {
    try {
      result.converted.push(toConverted(conversion.read(key).flag));
    } catch (error) {
      if (!(error instanceof NotImportable)) throw error;
      result.notImported.push({ key, why: error.message });
    }
  }
  if (result.converted.length === 0) requireSource(source, data, flags.length > 0);
  return result;
}

/** Reads each flag once, those that it depends on first. */
class Conversion {
  readonly #readers: ReadonlyMap<string, FlagReader>;
  readonly #read = new Map<string, ImportedFlag | NotImportable>();
  readonly #open = new Set<string>();

  constructor(readers: readonly FlagReader[]) {
    this.#readers = new Map(readers.map((reader) => [reader.key, reader]));
  }

  read(key: string): ImportedFlag {
    const known = this.#read.get(key) ?? this.#readNew(key);
    this.#read.set(key, known);
    if (known instanceof NotImportable) throw known;
    return known;
  }

  #readNew(key: string): ImportedFlag | NotImportable {
    this.#open.add(key);
    try {
      const reader = this.#readers.get(key);
      return reader === undefined
        ? new NotImportable('it is not in the data')
        : reader.read((other) => this.#parent(other));
    } catch (error) {
      if (!(error instanceof NotImportable)) throw error;
      return error;
    } finally {
      this.#open.delete(key);
    }
  }

  #parent(key: string): ImportedFlag {
    if (this.#open.has(key)) throw new NotImportable(`it depends on "${key}", which depends on it`);
    try {
      return this.read(key);
    } catch (error) {
      if (!(error instanceof NotImportable)) throw error;
      throw new NotImportable(`it depends on "${key}", which is not imported: ${error.message}`);
    }
  }
}

function toConverted(flag: PortableFlag): ConvertedFlag {
  const dependsOn = dependenciesOf(flag.filters);
  return { flag, percentages: hasVendorBucketing(flag.filters) ? inPercentages(flag) : null, dependsOn };
}

function inPercentages(flag: PortableFlag): ConvertedFlag['percentages'] {
  try {
    return { flag: { ...flag, filters: normalizeFilters(rehash(flag.filters)) }, reason: null };
  } catch (error) {
    if (!(error instanceof NotRehashable)) throw error;
    return { flag: null, reason: error.message };
  }
}

function dependenciesOf({ groups }: JsonObject): string[] {
  const properties = (groups as JsonObject[]).flatMap(({ properties: some = [] }) => some as JsonObject[]);
  return [...new Set(properties.flatMap(({ type, flag }) => (type === 'flag' ? [String(flag)] : [])))];
}
