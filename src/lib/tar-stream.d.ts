/** What we use of the package, which has no types. */
declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream';

  interface Headers {
    name: string;
    size?: number;
    mode?: number;
    mtime?: Date;
    type?: string;
  }
  interface Pack extends Readable {
    entry(headers: Headers, callback: (error?: Error | null) => void): Writable;
    finalize(): void;
  }
  interface Extract extends Writable {
    on(event: 'entry', listener: (headers: Headers, stream: Readable, next: (error?: Error) => void) => void): this;
    on(event: string, listener: (...args: never[]) => void): this;
  }
  export function pack(): Pack;
  export function extract(): Extract;
}
