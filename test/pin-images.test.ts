import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findDigest, imagesIn, withDigests } from '../scripts/pin-images.js';

const DIGEST = `sha256:${'0a'.repeat(32)}`;
const OTHER = `sha256:${'1b'.repeat(32)}`;

it('finds the images of the files, and none that is built here', () => {
  const names = ['Dockerfile', 'compose.yaml', 'compose.scale.yaml'].map((file) =>
    imagesIn(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).map(({ image }) => image.split(':')[0]),
  );
  expect(names).toEqual([['node', 'node'], [], ['nginx', 'postgres', 'clickhouse/clickhouse-server']]);
});

it('writes digests behind the tags, and replaces old ones', () => {
  const text = `FROM node:24 AS build\nFROM node:24@${OTHER}\n    image: cairn\n    image: nginx:1.28 # balancer\n`;
  const pinned = withDigests(text, new Map([['node:24', DIGEST]]));
  expect(pinned).toBe(
    `FROM node:24@${DIGEST} AS build\nFROM node:24@${DIGEST}\n    image: cairn\n    image: nginx:1.28 # balancer\n`,
  );
  expect(imagesIn(pinned)).toEqual([
    { image: 'node:24', digest: DIGEST },
    { image: 'node:24', digest: DIGEST },
    { image: 'nginx:1.28', digest: null },
  ]);
});

it('asks the registry for the digest of all platforms', async () => {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.accept?.includes('image.index')}`);
    response.writeHead(request.url?.includes('/node/') ? 200 : 404, { 'docker-content-digest': DIGEST }).end();
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    expect(await findDigest('node:24-slim', url)).toBe(DIGEST);
    await expect(findDigest('some/thing:1', url)).rejects.toThrow('some/thing:1: the registry answered 404');
    expect(asked).toEqual(['HEAD /v2/library/node/manifests/24-slim true', 'HEAD /v2/some/thing/manifests/1 true']);
  } finally {
    registry.close();
  }
});
