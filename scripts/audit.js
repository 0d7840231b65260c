/**
 * Checks production dependencies for known vulnerabilities (`npm audit`), and fails on high and critical ones. If the
 * registry has no audit endpoint, it prints that nothing was checked and succeeds.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const SEVERE = new Set(['high', 'critical']);

/** Reads the output of `npm audit --json`. */
export function readAudit(text) {
  const report = parse(text);
  if (report?.vulnerabilities === undefined || report.error !== undefined) {
    const why = report?.error?.summary || report?.message || 'no report';
    return { kind: 'unknown', lines: [`Nothing was checked: the list of vulnerabilities is not available (${why}).`] };
  }
  const found = Object.values(report.vulnerabilities);
  const severe = found.filter(({ severity }) => SEVERE.has(severity));
  if (severe.length === 0)
    return { kind: 'clean', lines: [`No high or critical vulnerabilities; less severe: ${found.length}.`] };
  return { kind: 'severe', lines: severe.map(describe) };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function describe({ name, severity, range, via = [], fixAvailable }) {
  const titles = via.map((one) => (typeof one === 'string' ? `via ${one}` : one.title)).join('; ');
  return `${severity}: ${name} ${range ?? ''} (${titles})${fixAvailable ? ', fixed in a newer version' : ''}`;
}

function main() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 60_000 });
  const { kind, lines } = readAudit(stdout ?? '');
  for (const line of lines) console.log(line);
  process.exitCode = kind === 'severe' ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
