import type { FlagDefinition, FlagDefinitions } from './flag.ts';
import type { PreparedFlags } from './prepared-flags.ts';

/** Never throws. What did not change since `previous` is taken from there. */
export declare function prepareFlags(definitions: FlagDefinitions, previous?: PreparedFlags): PreparedFlags;

/** One flag by itself, as if it were active, for previews; it may depend on those among which it stands. */
export declare function prepareFlag(flag: FlagDefinition, among: PreparedFlags): PreparedFlags;
