/**
 * The last decisions, given again while nothing that they depend on has changed: most requests are about somebody who was
 * asked about a moment ago. An entry holds for one snapshot of the definitions, and for the very object that the store
 * returned for the person. The store returns another after a change (decision 33).
 */
import type { SubjectPerson } from '../../../stores/metadata/subjects.ts';
import type { Decision } from './decision.ts';
import type { FlagSnapshot } from './flag-snapshots.ts';

/** What a decision about a distinct id depends on, beside the snapshot. */
export interface DecisionInputs {
  distinctId: string;
  deviceId: string | null;
  /** Null: none, or no flag depends on it. */
  person: SubjectPerson | null;
  /** The flags that were evaluated; undefined for all. */
  keys: ReadonlySet<string> | undefined;
}

interface RecentDecision extends DecisionInputs {
  decision: Decision;
}

type Generation = WeakMap<FlagSnapshot, Map<string, RecentDecision>>;

/** Of one generation; a value takes eight bytes. */
const MAX_VALUES = 4 * 1024 * 1024;
/** What an entry takes beside its values, in values. */
const ENTRY_OVERHEAD = 40;

/** Two generations, of which the older is dropped when the younger is full: nothing has to be kept in order of use. */
export class RecentDecisions {
  readonly #maxValues: number;
  #younger: Generation = new WeakMap();
  #older: Generation = new WeakMap();
  #values = 0;

  constructor(maxValues = MAX_VALUES) {
    this.#maxValues = maxValues;
  }

  get(snapshot: FlagSnapshot, inputs: DecisionInputs): Decision | undefined {
    const recent = this.#younger.get(snapshot)?.get(inputs.distinctId);
    if (recent !== undefined) return holdsFor(recent, inputs) ? recent.decision : undefined;
    const older = this.#older.get(snapshot)?.get(inputs.distinctId);
    if (older === undefined || !holdsFor(older, inputs)) return undefined;
    this.add(inputs, older.decision);
    return older.decision;
  }

  add({ distinctId, deviceId, person, keys }: DecisionInputs, decision: Decision): void {
    if (this.#values >= this.#maxValues) this.#startGeneration();
    const { snapshot } = decision;
    const entries = this.#younger.get(snapshot) ?? new Map<string, RecentDecision>();
    this.#younger.set(snapshot, entries);
    entries.set(distinctId, { distinctId, deviceId, person, keys, decision });
    this.#values += decision.evaluations.length + ENTRY_OVERHEAD;
  }

  #startGeneration(): void {
    this.#older = this.#younger;
    this.#younger = new WeakMap();
    this.#values = 0;
  }
}

const holdsFor = (recent: RecentDecision, { deviceId, person, keys }: DecisionInputs): boolean =>
  recent.person === person && recent.deviceId === deviceId && recent.keys === keys;
