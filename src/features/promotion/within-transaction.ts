import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** The store of a transaction, for services that begin one themselves: theirs is then part of this one. */
export function withinTransaction(store: MetadataStore): MetadataStore {
  const joined: MetadataStore = { ...store, transaction: (work) => work(joined) };
  return joined;
}
