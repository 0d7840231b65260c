/** Which of the converted flags are imported, and how: each keeps its values, its people, or only its percentages. */
import { invalid } from '../../../../core/errors.ts';
import type { PortableFlag } from '../portable-flag.ts';
import type { ConvertedFlag } from './import-flags.ts';

export interface ImportChoice {
  /** Keys of flags that keep their people by the hash of the other product; true: all. */
  keepPeople: readonly string[] | true;
  /** Keys of flags that may give some users another value. */
  accept: readonly string[];
}

interface FlagOptions {
  /** Whether nobody changes if its people are kept. */
  canKeepPeople: boolean;
  /** Whether it may be imported although some users get another value. */
  canAccept: boolean;
}

export interface DifferingFlag extends FlagOptions {
  key: string;
  reason: string;
  accepted: boolean;
}

export interface ChosenFlags {
  /** Imported as they are: nobody changes. */
  equal: string[];
  /** Imported with the hash of the other product: nobody changes. */
  kept: string[];
  differ: DifferingFlag[];
  /** What may be chosen for each of them. */
  options: ReadonlyMap<string, FlagOptions>;
  flags: PortableFlag[];
}

interface Choice {
  way: 'equal' | 'kept' | 'accepted' | 'left out';
  reason: string;
  canAccept: boolean;
}

/** Each product hashes in its own way, so a share of 10 % are other people here. */
const OTHER_PEOPLE = 'the percentages are kept, but they are other people: each product hashes users in its own way';

export function chooseFlags(converted: readonly ConvertedFlag[], choice: ImportChoice): ChosenFlags {
  const chooser = new Chooser(converted, choice);
  const options = new Map<string, FlagOptions>();
  const chosen: ChosenFlags = { equal: [], kept: [], differ: [], options, flags: [] };
  for (const one of converted) {
    const { key } = one.flag;
    const { way, reason, canAccept } = chooser.choose(key);
    const option = { canKeepPeople: one.percentages !== null, canAccept };
    options.set(key, option);
    if (way === 'equal' || way === 'kept') chosen[way].push(key);
    else chosen.differ.push({ key, reason, accepted: way === 'accepted', ...option });
    if (way !== 'left out') chosen.flags.push(chooser.formOf(one));
  }
  const asked = [...choice.accept, ...(choice.keepPeople === true ? [] : choice.keepPeople)];
  const isKnown = (key: string): boolean =>
    chosen.kept.includes(key) ||
    chosen.differ.some((one) => one.key === key && (one.accepted || !choice.accept.includes(key)));
  const unknown = asked.find((key) => !isKnown(key));
  if (unknown === undefined) return chosen;
  const attr = choice.accept.includes(unknown) ? 'accept' : 'keep_people';
  throw invalid(attr, chooser.whyNot(unknown));
}

class Chooser {
  readonly #flags: ReadonlyMap<string, ConvertedFlag>;
  readonly #choice: ImportChoice;
  readonly #choices = new Map<string, Choice>();

  constructor(converted: readonly ConvertedFlag[], choice: ImportChoice) {
    this.#flags = new Map(converted.map((one) => [one.flag.key, one]));
    this.#choice = choice;
  }

  choose(key: string): Choice {
    const known = this.#choices.get(key) ?? this.#chooseNew(key);
    this.#choices.set(key, known);
    return known;
  }

  formOf({ flag, percentages }: ConvertedFlag): PortableFlag {
    return this.#keepsPeople(flag.key) ? flag : (percentages?.flag ?? flag);
  }

  whyNot(key: string): string {
    const one = this.#flags.get(key);
    const name = key.slice(0, 100);
    if (one?.percentages?.reason)
      return `"${name}" cannot be imported with percentages only: ${one.percentages.reason}. Keep its people instead.`;
    const choice = one && this.choose(key);
    if (choice?.way === 'left out') return `"${name}" cannot be imported: ${choice.reason}.`;
    return `"${name}" is not among the flags that differ.`;
  }

  #keepsPeople(key: string): boolean {
    const { keepPeople, accept } = this.#choice;
    return keepPeople === true ? !accept.includes(key) : keepPeople.includes(key);
  }

  #chooseNew(key: string): Choice {
    const one = this.#flags.get(key);
    if (one === undefined) return { way: 'left out', reason: 'it is not in the data', canAccept: false };
    const parents = one.dependsOn.map((parent) => ({ parent, way: this.choose(parent).way }));
    const missing = parents.find(({ way }) => way === 'left out');
    if (missing !== undefined) {
      const reason = `it depends on "${missing.parent}", which is not imported yet`;
      return { way: 'left out', reason, canAccept: false };
    }
    const isAccepted = this.#choice.accept.includes(key);
    const changed = parents.find(({ way }) => way === 'accepted');
    if (changed !== undefined) {
      const reason = `it depends on "${changed.parent}", whose percentages are other people`;
      return { way: isAccepted ? 'accepted' : 'left out', reason, canAccept: true };
    }
    if (one.percentages === null) return { way: 'equal', reason: '', canAccept: false };
    const canAccept = one.percentages.reason === null;
    if (this.#keepsPeople(key)) return { way: 'kept', reason: '', canAccept };
    const reason = one.percentages.reason ?? OTHER_PEOPLE;
    return { way: isAccepted && canAccept ? 'accepted' : 'left out', reason, canAccept };
  }
}
