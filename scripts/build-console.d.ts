/** Builds the console into dist/console/ if its sources have changed since the last build. */
export declare function buildConsole(): Promise<void>;
