/**
 * Whom a flag reaches, and whose value a change would change: told before it is saved, by the same evaluator that decides
 * afterwards. Nothing is guessed from samples.
 */
import { invalid } from '../../../core/errors.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { prepareFlag } from '../rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../rules/compile/prepared-flags.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagDefinition } from '../rules/flag.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { Subject } from '../rules/subject.ts';
import { type Candidate, eachSubject, type ScanDeps } from './each-subject.ts';
import type { FlagSnapshots } from './flag-snapshots.ts';

interface BlastRadiusDeps extends ScanDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get'>;
}

interface Reach {
  /** Who gets something other than off. */
  affected: number;
  total: number;
}

type Value = FlagEvaluation['value'];

export interface ValueChange {
  /** The person, or the key of the group. */
  who: StoredPerson | string;
  /** What the person is known by; empty for a group. */
  distinctId: string;
  from: Value;
  to: Value;
}

export interface Impact extends Reach {
  /** How many go from which value to which, the most frequent first. */
  changes: { from: Value; to: Value; count: number }[];
  changed: number;
  /** One page of those whose value changes. */
  changedPage: ValueChange[];
}

/** A flag as it would be; null for one that is not there, or off. */
type Version = FlagDefinition | null;

/** `isBucketed` false: the flag deals out no shares and no variants, so nobody's place among them is looked up. */
export async function measureReach(
  deps: BlastRadiusDeps,
  projectId: number,
  flag: FlagDefinition,
  isBucketed = true,
): Promise<Reach> {
  const { affected, total } = await measureImpact(deps, projectId, null, flag, { limit: 0, offset: 0 }, isBucketed);
  return { affected, total };
}

export async function measureImpact(
  deps: BlastRadiusDeps,
  projectId: number,
  before: Version,
  after: Version,
  page: Page,
  isBucketed = true,
): Promise<Impact> {
  const { prepared } = await deps.flagSnapshots.get(projectId);
  const valueBefore = evaluatorOf(prepared, before);
  const valueAfter = evaluatorOf(prepared, after);
  const tally = new ImpactCounter(page);
  const needs = mergedNeeds(
    [before, after].flatMap((flag) => (flag === null ? [] : prepareFlag(flag, prepared).needs)),
  );
  const scan = { projectId, needs, groupIndex: groupIndexOf(after ?? before), isBucketed };
  for await (const candidates of eachSubject(deps, scan)) {
    for (const { who, subject } of candidates) {
      tally.add(who, subject.distinctId, valueBefore(subject), valueAfter(subject));
    }
  }
  return { ...tally.totals(), changedPage: await withPersons(deps, projectId, tally.shown) };
}

/** Whoever has gone since is left out. */
async function withPersons(
  deps: BlastRadiusDeps,
  projectId: number,
  noted: readonly RecordedChange[],
): Promise<ValueChange[]> {
  const ids = noted.flatMap(({ who }) => (typeof who === 'number' ? [who] : []));
  const persons = new Map((await deps.metadata.persons.listByIds(projectId, ids)).map((person) => [person.id, person]));
  return noted.flatMap(({ who, ...change }) => {
    const known = typeof who === 'number' ? persons.get(who) : who;
    return known === undefined ? [] : [{ ...change, who: known }];
  });
}

/** A change as it is written down while everybody is looked at. */
interface RecordedChange extends Omit<ValueChange, 'who'> {
  who: Candidate['who'];
}

function evaluatorOf(among: PreparedFlags, flag: Version): (subject: Subject) => Value {
  if (flag === null) return () => false;
  const prepared = prepareFlag({ ...flag, active: true }, among);
  const only = new Set([flag.key]);
  return (subject) => {
    const [evaluation] = evaluate(prepared, subject, only);
    if (evaluation?.failure) throw invalid('filters', `The flag cannot be evaluated: ${evaluation.failure}.`);
    return evaluation?.value ?? false;
  };
}

/** The kind of groups that a flag as a whole is about; null for persons. */
function groupIndexOf(flag: Version): number | null {
  const index = (flag?.filters as { aggregation_group_type_index?: unknown } | undefined)?.aggregation_group_type_index;
  return typeof index === 'number' ? index : null;
}

type Needs = PreparedFlags['needs'];

const mergedNeeds = (all: readonly Needs[]): Needs => ({
  personProperties: new Set(all.flatMap((needs) => [...needs.personProperties])),
  groupTypes: new Set(all.flatMap((needs) => [...needs.groupTypes])),
  staticCohorts: new Set(all.flatMap((needs) => [...needs.staticCohorts])),
  hasContinuity: all.some((needs) => needs.hasContinuity),
});

class ImpactCounter {
  readonly #page: Page;
  readonly #counts = new Map<string, Impact['changes'][number]>();
  readonly shown: RecordedChange[] = [];
  #affected = 0;
  #total = 0;
  #changed = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  add(who: Candidate['who'], distinctId: string, from: Value, to: Value): void {
    this.#total++;
    if (to !== false) this.#affected++;
    if (from === to) return;
    const { limit, offset } = this.#page;
    if (this.#changed >= offset && this.shown.length < limit) this.shown.push({ who, distinctId, from, to });
    this.#changed++;
    const key = JSON.stringify([from, to]);
    const known = this.#counts.get(key) ?? { from, to, count: 0 };
    this.#counts.set(key, { ...known, count: known.count + 1 });
  }

  totals(): Omit<Impact, 'changedPage'> {
    return {
      affected: this.#affected,
      total: this.#total,
      changes: [...this.#counts.values()].sort((a, b) => b.count - a.count),
      changed: this.#changed,
    };
  }
}
