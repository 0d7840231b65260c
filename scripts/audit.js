/**
 * Asks the registry whether the packages that run in production have known holes, and fails on grave ones. A registry
 * that keeps no such list is no fault of ours: then it says so, and the build goes on.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const GRAVE = new Set(['high', 'critical']);

/** What `npm audit --json` has printed, judged. */
export function verdictOn(text) {
  const report = parse(text);
  if (report?.vulnerabilities === undefined || report.error !== undefined) {
    const why = report?.error?.summary || report?.message || 'no report';
    return { kind: 'unknown', lines: [`The list of known holes could not be had (${why}): nothing was checked.`] };
  }
  const found = Object.values(report.vulnerabilities);
  const grave = found.filter(({ severity }) => GRAVE.has(severity));
  if (grave.length === 0) return { kind: 'clean', lines: [`No grave holes are known; lesser ones: ${found.length}.`] };
  return { kind: 'grave', lines: grave.map(describe) };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function describe({ name, severity, range, via = [], fixAvailable }) {
  const titles = via.map((one) => (typeof one === 'string' ? `through ${one}` : one.title)).join('; ');
  return `${severity}: ${name} ${range ?? ''} (${titles})${fixAvailable ? ', and a newer version mends it' : ''}`;
}

function main() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 60_000 });
  const { kind, lines } = verdictOn(stdout ?? '');
  for (const line of lines) console.log(line);
  process.exitCode = kind === 'grave' ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
