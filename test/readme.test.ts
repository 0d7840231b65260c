/** Compares the documentation with the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsHelp } from '../src/config.ts';
import { VERSION } from '../src/version.ts';
import { testedSdks } from './sdks/support/versions.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the documentation', () => {
  it('lists the settings that --help prints', () => {
    const rows = read('docs/guides/configuration.md').match(/^\| `[A-Z_]+` +\|.*$/gm) ?? [];
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

  it('lists the tested SDKs with their versions', () => {
    const [, section = ''] = read('docs/guides/sdks.md').split('## Tested versions\n');
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (\S+) +\| ([\d., ]+?) +\|/gm)];
    const listed = rows.flatMap(([, name, versions = '']) =>
      versions.split(', ').map((version) => `${name} ${version}`),
    );
    expect(listed).toEqual(testedSdks());
  });

  it('links to files that exist', () => {
    const inFolder = (folder: string) => readdirSync(new URL(folder, root)).map((file) => `${folder}${file}`);
    const files = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/glossary.md'];
    for (const file of [...files, ...inFolder('docs/guides/'), ...inFolder('docs/decisions/')]) {
      const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
      const missing = links.filter((link) => !existsSync(new URL(link, new URL(file, root))));
      expect(missing, file).toEqual([]);
    }
  });

  it('has a README of at most 250 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(250);
  });
});

it('has a CONTRIBUTING of less than 120 lines', () => {
  expect(read('CONTRIBUTING.md').split('\n').length).toBeLessThan(120);
});

it('has the same version in package.json and in the sources', () => {
  expect(VERSION).toBe(JSON.parse(read('package.json')).version);
});

describe('decision records', () => {
  const files = readdirSync(new URL('docs/decisions/', root)).filter((file) => file.endsWith('.md'));

  it('have unique numbers, a status and all sections', () => {
    const numbers = files.map((file) => file.slice(0, 4));
    expect(new Set(numbers).size).toBe(files.length);
    for (const file of files) {
      const text = read(`docs/decisions/${file}`);
      expect(text, file).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. `));
      for (const part of ['Status: ', '## Context', '## Decision', '## Alternatives considered', '## Consequences']) {
        expect(text, file).toContain(part);
      }
    }
  });
});
