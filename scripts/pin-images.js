// Pins the base images of the Dockerfile and of the compose files to a digest: `node scripts/pin-images.js`. With
// `--check` it changes nothing and fails where an image has no digest. A tag can be moved to another image; a digest cannot.
import { readFileSync, writeFileSync } from 'node:fs';

const FILES = ['Dockerfile', 'compose.yaml', 'compose.scale.yaml'];
/** `FROM node:24 AS build` and `image: nginx:1.28`, without stages and images that are built here. */
const IMAGE = /^(\s*(?:FROM|image:)\s+)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?/gm;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** Every image with a tag, and its digest if it has one. */
export function imagesIn(text) {
  return [...text.matchAll(IMAGE)].map(([, , image, digest]) => ({ image, digest: digest?.slice(1) ?? null }));
}

export const withDigests = (text, digests) =>
  text.replace(IMAGE, (all, start, image) => (digests.has(image) ? `${start}${image}@${digests.get(image)}` : all));

/** Asks Docker Hub, or a registry that speaks the same protocol without authentication. */
export async function findDigest(image, registry = 'https://registry-1.docker.io') {
  const [name, tag] = image.split(':');
  const repository = name.includes('/') ? name : `library/${name}`;
  const headers = { accept: MANIFESTS.join(', '), ...(await authorization(registry, repository)) };
  const response = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, { method: 'HEAD', headers });
  const digest = response.headers.get('docker-content-digest');
  if (!response.ok || digest === null) throw new Error(`${image}: the registry answered ${response.status}`);
  return digest;
}

async function authorization(registry, repository) {
  if (!registry.includes('docker.io')) return {};
  const scope = `service=registry.docker.io&scope=repository:${repository}:pull`;
  const { token } = await (await fetch(`https://auth.docker.io/token?${scope}`)).json();
  return { authorization: `Bearer ${token}` };
}

async function main() {
  const texts = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]));
  const images = [...texts.values()].flatMap(imagesIn);
  if (process.argv.includes('--check')) {
    const open = images.filter(({ digest }) => digest === null).map(({ image }) => image);
    if (open.length === 0) return;
    console.error(`Without a digest: ${[...new Set(open)].join(', ')}. Run: node scripts/pin-images.js`);
    process.exitCode = 1;
    return;
  }
  const names = [...new Set(images.map(({ image }) => image))];
  const digests = new Map(await Promise.all(names.map(async (image) => [image, await findDigest(image)])));
  for (const [file, text] of texts) writeFileSync(file, withDigests(text, digests));
  for (const [image, digest] of digests) console.log(`${image}@${digest}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await main();
