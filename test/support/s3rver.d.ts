/** As far as the tests use it. */
declare module 's3rver' {
  // biome-ignore lint/style/noDefaultExport: it is the package's
  export default class S3rver {
    constructor(options: Record<string, unknown>);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
