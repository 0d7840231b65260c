/** The three events that merge two ids. */
export type MergeKind = 'identify' | 'alias' | 'merge_dangerously';

type MergePlan =
  /** Neither id is known: a new person gets both. */
  | 'create_with_both'
  /** The event's own id is new and is added to the other id's person. */
  | 'add_target_id_to_source'
  | 'add_source_id_to_target'
  /** They are the same person already. */
  | 'mark_identified'
  | 'merge_source_into_target'
  /** The source is identified; only `$merge_dangerously` may merge such a person into another. */
  | 'refuse';

type Identity = { readonly uuid: string; readonly isIdentified: boolean } | undefined;

/** What to do when an event with the target's distinct id names the source as another id of the same person. */
export function planMerge(source: Identity, target: Identity, kind: MergeKind): MergePlan {
  if (source === undefined) return target === undefined ? 'create_with_both' : 'add_source_id_to_target';
  if (target === undefined) return 'add_target_id_to_source';
  if (source.uuid === target.uuid) return 'mark_identified';
  return source.isIdentified && kind !== 'merge_dangerously' ? 'refuse' : 'merge_source_into_target';
}
