/** What is kept of a flag whose percentages are neither 0 nor 100: its people, its percentages, or nothing. */
import type { FlagImport, ImportOptions } from '../../../api/flag-imports.ts';

export type Result = FlagImport['results'][number];
export type Kept = 'people' | 'percentage' | 'nothing';
/** By key of the flag. */
export type KeptByFlag = Readonly<Record<string, Kept>>;

/** Without a choice, no one gets another value. */
export const keptOf = ({ key, can_keep_people: can }: Result, choices: KeptByFlag): Kept =>
  choices[key] ?? (can ? 'people' : 'nothing');

/** Flags that only depend on others are asked about anew when the choice for another one changes. */
export function choose(
  choices: KeptByFlag,
  results: readonly Result[],
  { key, can_keep_people: hasOwnPeople }: Result,
  kept: Kept,
): KeptByFlag {
  const stays = new Set(results.filter((one) => one.can_keep_people || !hasOwnPeople).map((one) => one.key));
  const others = Object.entries(choices).filter(([other]) => stays.has(other));
  return { ...Object.fromEntries(others), [key]: kept };
}

export function optionsFor(
  choices: KeptByFlag,
  results: readonly Result[],
): Required<Pick<ImportOptions, 'keep_people' | 'accept'>> {
  const accept = Object.keys(choices).filter((key) => choices[key] === 'percentage');
  if (!Object.values(choices).includes('nothing')) return { keep_people: true, accept };
  const kept = results.filter((one) => one.can_keep_people && keptOf(one, choices) === 'people');
  return { keep_people: kept.map(({ key }) => key), accept };
}
