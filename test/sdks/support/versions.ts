/** The packages that are tried, as they are installed. The README's table is held against this list. */
import { readFileSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { dirname } from 'node:path';

const require = requireFrom(import.meta.url);

interface InstalledSdk {
  /** As it is published. */
  name: string;
  version: string;
  /** As it is installed here: several versions of one package stand side by side. */
  alias: string;
  folder: string;
}

export function installed(alias: string): InstalledSdk {
  const folder = folderOf(alias);
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as InstalledSdk;
  return { name, version, alias, folder };
}

/** Some packages do not export their package.json: it is looked for beside what they do export. */
function folderOf(alias: string): string {
  const entry = require.resolve(alias);
  const end = entry.lastIndexOf(`node_modules/${alias}/`) + `node_modules/${alias}`.length;
  return end > alias.length ? entry.slice(0, end) : dirname(entry);
}

export const BROWSER_SDKS = [
  'posthog-js-1.13',
  'posthog-js-1.68',
  'posthog-js-1.130',
  'posthog-js-1.257',
  'posthog-js',
];
export const NODE_SDKS = ['posthog-node-1', 'posthog-node-2', 'posthog-node-3', 'posthog-node-4', 'posthog-node'];
const OTHER_SDKS = ['posthog-js-lite', 'posthog-react-native', '@segment/analytics-node'];

/** `name version` of each. */
export const testedSdks = (): string[] =>
  [...BROWSER_SDKS, ...NODE_SDKS, ...OTHER_SDKS].map(installed).map(({ name, version }) => `${name} ${version}`);
