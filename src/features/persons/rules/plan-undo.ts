import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import { applyProperties } from '../../../core/persons/apply-properties.ts';
import type { Person, PropertyChange } from '../../../core/persons/person.ts';

/** Both persons of a merge as they were just before it. */
export interface MergedPair {
  source: Person;
  target: Person;
}

export interface UndoPlan {
  /** The one who was merged away, as they come back. */
  source: Person;
  /** The one who took over, as they go on. */
  target: Person;
  /** What this changes of the target's properties, beside those that are taken back. */
  refilled: PropertyChange[];
  /** Names of properties that the merge brought and that the target loses again. */
  removedKeys: string[];
  /** For each other merge: its target as it would have been just before it. */
  rebased: { earlier: Person[]; later: Person[] };
}

/** The other merges into the same target that stand, oldest first. */
interface OtherMergePairs {
  earlier: readonly MergedPair[];
  later: readonly MergedPair[];
}

/**
 * Takes a merge back. `survivor` is the target as it is now.
 *
 * The source comes back as it was. The target loses what the merge brought, a property that it did not have and that
 * still has the source's value, and keeps everything else: what the merging event itself said, what came later, and
 * what somebody else who was merged in later would have brought in its place. So merges can be undone in any order.
 */
export function planUndo(merge: MergedPair, survivor: Person, { earlier, later }: OtherMergePairs): UndoPlan {
  const brought = Object.keys(merge.source.properties).filter((key) => !Object.hasOwn(merge.target.properties, key));
  const states = [...later.map(({ target }) => target), survivor];
  const undone = states.map((state, i) => undoInState(merge, brought, state, later.slice(0, i), i === 0));
  const target = undone.pop() ?? { person: survivor, removedKeys: [], refilled: [] };
  return {
    source: merge.source,
    target: target.person,
    refilled: target.refilled,
    removedKeys: target.removedKeys,
    rebased: {
      // The merge and its undoing are two writes that are none: what counts writes since then must pass over them.
      earlier: earlier.map(({ target: before }) => nextVersion(nextVersion(before))),
      later: undone.map(({ person }) => person),
    },
  };
}

const nextVersion = (person: Person): Person => ({ ...person, version: person.version + 1 });

interface UndoneState {
  person: Person;
  removedKeys: string[];
  refilled: PropertyChange[];
}

/** One state of the target after the merge, as it would be without it; `since` are the merges in between. */
function undoInState(
  merge: MergedPair,
  brought: readonly string[],
  state: Person,
  since: readonly MergedPair[],
  isNext: boolean,
): UndoneState {
  const takenBack = brought.filter(
    (key) => Object.hasOwn(state.properties, key) && jsonEqual(state.properties[key], merge.source.properties[key]),
  );
  const without = applyProperties(state.properties, { unset: takenBack }).properties;
  const { properties, changes } = applyProperties(without, { setOnce: firstValues(since, takenBack) });
  const createdAt = Math.min(merge.target.createdAt, ...since.map(({ source }) => source.createdAt));
  // Merging marks the target as identified. If nothing was written to it since, nothing else can have done so.
  const isUntouched = isNext && state.version === merge.target.version + 1;
  const isIdentified = isUntouched ? merge.target.isIdentified : state.isIdentified;
  return {
    person: nextVersion({ ...state, properties, createdAt, isIdentified }),
    removedKeys: takenBack,
    refilled: changes,
  };
}

/** The first of these persons who has a property gives it. */
function firstValues(merges: readonly MergedPair[], keys: readonly string[]): JsonObject {
  const values: [string, Json][] = [];
  for (const key of keys) {
    const giver = merges.find(({ source }) => Object.hasOwn(source.properties, key));
    if (giver) values.push([key, giver.source.properties[key] ?? null]);
  }
  return Object.fromEntries(values);
}
