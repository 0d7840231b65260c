/**
 * Runs all benchmarks in sequence and writes bench/REPORT.md: each figure with its baseline from the same run, the command
 * that produced it, and when, of which code and on which machine it was measured. With `--only` the other sections stay.
 *
 *   npm run bench [-- --short --only capture,decide --from-results]
 *
 * Takes about half an hour; nothing else should run meanwhile. `--from-results` writes the report from earlier results
 * (bench/results/).
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.ts';
import { BENCHES, type Bench } from './lib/report-sections.ts';

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    'from-results': { type: 'boolean', default: false },
  },
});
const RESULTS = 'bench/results';
const REPORT = 'bench/REPORT.md';

interface Measured {
  bench: Bench;
  /** When, of which code, on which machine. */
  measured: string;
  command: string;
  output: string;
  result: unknown;
}

const chosen = (): readonly Bench[] =>
  flags.only === '' ? BENCHES : BENCHES.filter(({ name }) => flags.only.split(',').includes(name));

function commandOf({ name, full, short }: Bench): string {
  const args = flags.short ? short : full;
  return args === undefined ? `npm run bench:${name}` : `npm run bench:${name} -- ${args}`;
}

/** Prints and stores the output. A benchmark that fails is reported and does not stop the others. */
async function run(bench: Bench): Promise<void> {
  const command = commandOf(bench);
  console.log(`\n── ${command} ──`);
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    process.stdout.write(part);
    output += part;
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const printed = output.replace(/^> .*\n/gm, '').trim();
  const measured = `on ${new Date().toISOString().slice(0, 10)} at ${commit()} on ${machine()}, ${Math.round(totalmem() / 2 ** 30)} GB of memory`;
  writeFileSync(`${RESULTS}/${bench.name}.run.json`, JSON.stringify({ command, code, output: printed, measured }));
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

function commit(): string {
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return `${git('rev-parse', '--short=8', 'HEAD')}${isChanged ? ' with changes' : ''}`;
}

function measured(bench: Bench): Measured | null {
  const file = `${RESULTS}/${bench.name}.run.json`;
  if (!existsSync(file)) return null;
  const { command, code, output, measured: when } = JSON.parse(readFileSync(file, 'utf8'));
  const about = { bench, command, measured: when };
  if (code !== 0) return { ...about, output: `Exit code ${code}.\n${output}`, result: null };
  const json = `${RESULTS}/${bench.name}.json`;
  const result = bench.rows && existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : null;
  return { ...about, output, result };
}

function section({ bench, measured: when, command, output, result }: Measured): string {
  const rows = result === null || !bench.rows ? [] : bench.rows(result as never);
  const table =
    rows.length === 0
      ? []
      : ['| | Cairn | baseline | ratio |', '|---|--:|--:|--:|', ...rows.map((row) => `| ${row.join(' | ')} |`), ''];
  return [
    titleOf(bench),
    '',
    bench.description,
    '',
    `Measured ${when}. Command: \`${command}\``,
    '',
    ...table,
    '<details><summary>Full output</summary>',
    '',
    '```',
    output,
    '```',
    '',
    '</details>',
    '',
  ].join('\n');
}

const titleOf = ({ title }: Bench): string => `## ${title}`;

/** A section of the report as it was. */
function sectionBefore(bench: Bench): string | null {
  if (!existsSync(REPORT)) return null;
  const lines = readFileSync(REPORT, 'utf8').split('\n');
  const from = lines.indexOf(titleOf(bench));
  if (from === -1) return null;
  const next = lines.findIndex((line, at) => at > from && line.startsWith('## '));
  return lines.slice(from, next === -1 ? undefined : next).join('\n');
}

const HEAD = `# Benchmark report

Load, server and baseline share a machine, so **ratios count, absolute figures do not**: every figure has a baseline from
the same run. Sections that were measured on different machines cannot be compared. No figure was typed by hand;
\`npm run bench\` writes this page.
`;

function write(): void {
  const sections = BENCHES.map((bench) => {
    const own = measured(bench);
    return own === null ? sectionBefore(bench) : section(own);
  });
  writeFileSync(REPORT, [HEAD, ...sections.filter((text) => text !== null)].join('\n'));
  execFileSync('node_modules/.bin/biome', ['format', '--write', REPORT], { stdio: 'ignore' });
  console.log(`\nWrote ${REPORT}.`);
}

mkdirSync(RESULTS, { recursive: true });
if (!flags['from-results']) for (const bench of chosen()) await run(bench);
write();
