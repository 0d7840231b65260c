/** When the flag was turned on or off or its release conditions changed while the experiment ran. */
import type { JsonObject } from '../../../core/json/json.ts';
import type { Range } from '../../../core/time/range.ts';

interface Version {
  updatedAt: number;
  active: boolean;
  filters: JsonObject;
}

/** Of the versions of a flag in their order. Changes of the percentages of variants are phases of the split. */
export const releaseChanges = (versions: readonly Version[], { from, until }: Range): number[] =>
  versions.flatMap((version, at) => {
    const before = versions[at - 1];
    const isWithin = version.updatedAt > from && version.updatedAt < until;
    return isWithin && before !== undefined && releaseOf(before) !== releaseOf(version) ? [version.updatedAt] : [];
  });

const releaseOf = ({ active, filters }: Version): string => JSON.stringify([active, filters['groups'] ?? []]);
