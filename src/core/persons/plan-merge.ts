/** The three events that say 'these two ids are one person'. */
export type MergeKind = 'identify' | 'alias' | 'merge_dangerously';

type MergePlan =
  /** Neither id is known: one new person with both. */
  | 'create_with_both'
  /** The event's own id joins the person of the other one, who survives. Nobody's identity is in doubt here. */
  | 'add_target_id_to_source'
  | 'add_source_id_to_target'
  /** They are one person already. */
  | 'mark_identified'
  | 'merge_source_into_target'
  /** The source belongs to somebody who was identified; only `$merge_dangerously` may swallow such a person. */
  | 'refuse';

type Identity = { readonly uuid: string; readonly isIdentified: boolean } | undefined;

/** What to do when an event with the target's distinct id names the source as another id of the same person. */
export function planMerge(source: Identity, target: Identity, kind: MergeKind): MergePlan {
  if (source === undefined) return target === undefined ? 'create_with_both' : 'add_source_id_to_target';
  if (target === undefined) return 'add_target_id_to_source';
  if (source.uuid === target.uuid) return 'mark_identified';
  return source.isIdentified && kind !== 'merge_dangerously' ? 'refuse' : 'merge_source_into_target';
}
