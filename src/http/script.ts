import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { digest } from '../lib/secrets.ts';

const gzip = promisify(gzipCallback);

export interface Script {
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

export async function makeScript(plain: Buffer): Promise<Script> {
  return { plain, gzipped: await gzip(plain), etag: `"${digest(plain).slice(0, 32)}"` };
}
