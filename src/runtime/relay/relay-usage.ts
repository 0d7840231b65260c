/** Where a relay writes its counts of evaluations: to its server, each report once. */
import type { FlagUsageStore, FlagUseCount } from '../../features/flags/store/flag-usage-store.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Upstream } from './upstream.ts';

/** The part of a store that `FlagUsage` writes to. */
export const relayUsage = (upstream: Pick<Upstream, 'post'>): Pick<MetadataStore, 'transaction'> =>
  ({
    async transaction(work: (store: { flagUsage: Pick<FlagUsageStore, 'begin' | 'add'> }) => Promise<void>) {
      let report = { node: '', sequence: 0 };
      let counts: readonly FlagUseCount[] = [];
      await work({
        flagUsage: {
          begin: async (node, sequence) => {
            report = { node, sequence };
            return true;
          },
          add: async (given) => {
            counts = given;
          },
        },
      });
      const sent = counts.map(({ flagId, start, source, value, count }) => ({
        flag_id: flagId,
        start,
        source,
        value,
        count,
      }));
      const { status, text } = await upstream.post('/flags/usage', JSON.stringify({ ...report, counts: sent }));
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
    },
  }) as never;
