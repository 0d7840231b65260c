/** What the documents say, held against what is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsHelp } from '../src/config.ts';
import { VERSION } from '../src/version.ts';
import { testedSdks } from './sdks/support/versions.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the README', () => {
  it('has the table of settings that --help prints', () => {
    const rows = read('README.md').match(/^\| `[A-Z_]+` +\|.*$/gm) ?? [];
    const cells = rows.map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
    expect(cells).toEqual(
      settingsHelp().map(({ env, defaultText, help }) => [`\`${env}\``, defaultText ? `\`${defaultText}\`` : '', help]),
    );
  });

  it('lists the SDKs that are tried, in their versions', () => {
    const [, section = ''] = read('README.md').split('## SDKs\n');
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (\S+) +\| ([\d., ]+?) +\|/gm)];
    const listed = rows.flatMap(([, name, versions = '']) =>
      versions.split(', ').map((version) => `${name} ${version}`),
    );
    expect(listed).toEqual(testedSdks());
  });

  it('links to files that are there', () => {
    for (const file of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']) {
      const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) => link);
      expect(links.filter((link) => !existsSync(new URL(link, root)))).toEqual([]);
    }
  });
});

it('keeps CONTRIBUTING short enough to be read', () => {
  expect(read('CONTRIBUTING.md').split('\n').length).toBeLessThan(120);
});

it('is of one version in package.json and in the sources', () => {
  expect(VERSION).toBe(JSON.parse(read('package.json')).version);
});

describe('decision records', () => {
  const files = readdirSync(new URL('docs/decisions/', root)).filter((file) => file.endsWith('.md'));

  it('have numbers of their own, each with a status and its reasons', () => {
    const numbers = files.map((file) => file.slice(0, 4));
    expect(new Set(numbers).size).toBe(files.length);
    for (const file of files) {
      const text = read(`docs/decisions/${file}`);
      expect(text, file).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. `));
      for (const part of ['Status: ', '## Context', '## Choice', '## Options set aside', '## Consequences']) {
        expect(text, file).toContain(part);
      }
    }
  });
});
