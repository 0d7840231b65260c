import type { Json, JsonObject } from '../../../core/json/json.ts';
import { jsonEqual } from '../../../core/json/json-equal.ts';
import { applyProperties } from '../../../core/persons/apply-properties.ts';
import type { Person, PropertyChange } from '../../../core/persons/person.ts';

/** Both persons of a merge, just before it. */
export interface MergedPair {
  source: Person;
  target: Person;
}

export interface UndoPlan {
  /** The person that was merged away, restored. */
  source: Person;
  /** The survivor. */
  target: Person;
  /** Properties that the target gets from later merges instead. */
  refilled: PropertyChange[];
  /** Properties that the merge added and that the target loses. */
  removedKeys: string[];
  /** For each other merge: its target just before it, had this merge not happened. */
  rebased: { earlier: Person[]; later: Person[] };
}

/** Other merges into the same target that were not undone, oldest first. */
interface OtherMergePairs {
  earlier: readonly MergedPair[];
  later: readonly MergedPair[];
}

/**
 * Plans the undo of a merge. `survivor` is the current target.
 *
 * The source is restored. The target loses the properties that the merge added and that still have the source's value.
 * It keeps everything else: what the merging event itself set, later changes, and what later merges would have added
 * instead. So merges can be undone in any order.
 */
export function planUndo(merge: MergedPair, survivor: Person, { earlier, later }: OtherMergePairs): UndoPlan {
  const added = Object.keys(merge.source.properties).filter((key) => !Object.hasOwn(merge.target.properties, key));
  const states = [...later.map(({ target }) => target), survivor];
  const undone = states.map((state, i) => undoInState(merge, added, state, later.slice(0, i), i === 0));
  const target = undone.pop() ?? { person: survivor, removedKeys: [], refilled: [] };
  return {
    source: merge.source,
    target: target.person,
    refilled: target.refilled,
    removedKeys: target.removedKeys,
    rebased: {
      // Versions count writes since a merge; the merge and its undo must not count.
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

/** A state of the target after the merge, had it not happened; `since` are the merges in between. */
function undoInState(
  merge: MergedPair,
  added: readonly string[],
  state: Person,
  since: readonly MergedPair[],
  isNext: boolean,
): UndoneState {
  const removedKeys = added.filter(
    (key) => Object.hasOwn(state.properties, key) && jsonEqual(state.properties[key], merge.source.properties[key]),
  );
  const reduced = applyProperties(state.properties, { unset: removedKeys }).properties;
  const { properties, changes } = applyProperties(reduced, { setOnce: firstValues(since, removedKeys) });
  const createdAt = Math.min(merge.target.createdAt, ...since.map(({ source }) => source.createdAt));
  // Merging marks the target as identified. If nothing was written since, nothing else can have done so.
  const isUntouched = isNext && state.version === merge.target.version + 1;
  const isIdentified = isUntouched ? merge.target.isIdentified : state.isIdentified;
  return {
    person: nextVersion({ ...state, properties, createdAt, isIdentified }),
    removedKeys,
    refilled: changes,
  };
}

/** Each property from the first source that has it. */
function firstValues(merges: readonly MergedPair[], keys: readonly string[]): JsonObject {
  const values: [string, Json][] = [];
  for (const key of keys) {
    const merge = merges.find(({ source }) => Object.hasOwn(source.properties, key));
    if (merge) values.push([key, merge.source.properties[key] ?? null]);
  }
  return Object.fromEntries(values);
}
