/**
 * Runs all benchmarks in sequence and writes bench/REPORT.md: each figure with its baseline from the same run, and the
 * command that produced it.
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
  writeFileSync(`${RESULTS}/${bench.name}.run.json`, JSON.stringify({ command, code, output: printed }));
}

function measured(bench: Bench): Measured | null {
  const file = `${RESULTS}/${bench.name}.run.json`;
  if (!existsSync(file)) return null;
  const { command, code, output } = JSON.parse(readFileSync(file, 'utf8'));
  if (code !== 0) return { bench, command, output: `Exit code ${code}.\n${output}`, result: null };
  const json = `${RESULTS}/${bench.name}.json`;
  const result = bench.rows && existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : null;
  return { bench, command, output, result };
}

function section({ bench, command, output, result }: Measured): string {
  const rows = result === null || !bench.rows ? [] : bench.rows(result as never);
  const table =
    rows.length === 0
      ? []
      : ['| | Cairn | baseline | ratio |', '|---|--:|--:|--:|', ...rows.map((row) => `| ${row.join(' | ')} |`), ''];
  return [
    `## ${bench.title}`,
    '',
    bench.description,
    '',
    `Command: \`${command}\``,
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

const machineOf = (all: readonly Measured[]): string =>
  all.map(({ result }) => (result as { machine?: string } | null)?.machine).find((one) => one !== undefined) ?? '';

function write(all: readonly Measured[]): void {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const head = [
    '# Benchmark report',
    '',
    `Machine: ${machineOf(all)}, ${memory} of memory. Load, server and baseline share it, so **ratios count, absolute`,
    'figures do not**: every figure has a baseline from the same run. No figure was typed by hand;',
    '`npm run bench` writes this page.',
    '',
  ];
  writeFileSync(REPORT, [...head, ...all.map(section)].join('\n'));
  execFileSync('node_modules/.bin/biome', ['format', '--write', REPORT], { stdio: 'ignore' });
  console.log(`\nWrote ${REPORT}.`);
}

mkdirSync(RESULTS, { recursive: true });
if (!flags['from-results']) for (const bench of chosen()) await run(bench);
write(BENCHES.map(measured).filter((one) => one !== null));
