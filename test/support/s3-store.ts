/** An S3-compatible store on a free port. It refuses wrong signatures, and times that are far from its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import S3rver from 's3rver';

export const S3_KEYS = { aws_access_key_id: 'S3RVER', aws_secret_access_key: 'S3RVER' };

export interface S3Store {
  url: string;
  bucket: string;
  /** The names of all objects. */
  list(): Promise<string[]>;
  read(name: string): Promise<Buffer>;
  close(): Promise<void>;
}

export async function startS3Store(bucket = 'events'): Promise<S3Store> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-s3-'));
  const store = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await store.run();
  const url = `http://127.0.0.1:${port}`;
  const client = new AwsClient({
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    service: 's3',
    region: 'us-east-1',
  });
  return {
    url,
    bucket,
    async list() {
      const text = await (await client.fetch(`${url}/${bucket}?list-type=2`)).text();
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name]) => name ?? '');
    },
    async read(name) {
      const answer = await client.fetch(`${url}/${bucket}/${name}`);
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
      return Buffer.from(await answer.arrayBuffer());
    },
    async close() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
