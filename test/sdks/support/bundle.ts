/** Packages made into one script, as apps are made: for a page, or with their native layer taken away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

interface Bundle {
  file: string;
  remove(): void;
}

interface BundleOptions {
  platform: 'browser' | 'node';
  /** Package → what stands in for it. */
  alias?: Record<string, string>;
  /** The name by which a page finds it. */
  global?: string;
}

export async function bundle(name: string, { platform, alias = {}, global }: BundleOptions): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'));
  const file = join(folder, 'bundle.cjs');
  await build({
    entryPoints: [name],
    outfile: file,
    bundle: true,
    platform,
    format: global === undefined ? 'cjs' : 'iife',
    ...(global === undefined ? {} : { globalName: global }),
    alias,
    absWorkingDir: new URL('../../../', import.meta.url).pathname,
    // What an app may have and this one has not is asked for at run time, and missed there.
    logLevel: 'silent',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
