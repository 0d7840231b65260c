/**
 * Reads vitest's JSON reports.
 *
 *   node .ci/summary.js failed REPORT      the files with failed tests, one per line
 *   node .ci/summary.js all REPORT…        how many passed, failed and were skipped, and the names of the failed ones
 *
 * `.first.json` is the report of tests that were run a second time. Tests that failed there but not in the second
 * report are flaky, and listed.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [what, ...paths] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const fileOf = (suite) => relative(process.cwd(), suite.name);

function* failuresIn(report) {
  for (const suite of report.testResults) {
    const failed = suite.assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed)
      yield { name: `${fileOf(suite)}: ${fullName}`, why: String(failureMessages[0] ?? '').split('\n')[0] };
    // It failed outside of a test.
    if (failed.length === 0 && suite.status === 'failed')
      yield { name: fileOf(suite), why: String(suite.message ?? '').split('\n')[0] };
  }
}

if (what === 'failed') {
  for (const suite of read(paths[0]).testResults) if (suite.status === 'failed') console.log(fileOf(suite));
} else {
  const firsts = paths.filter((path) => path.endsWith('.first.json')).map(read);
  const seconds = paths.filter((path) => path.endsWith('.second.json')).map(read);
  const rest = paths.filter((path) => !/\.(first|second)\.json$/.test(path)).map(read);
  const failures = [...seconds, ...rest].flatMap((report) => [...failuresIn(report)]);
  const flaky = firsts
    .flatMap((report) => [...failuresIn(report)])
    .filter(({ name }) => !failures.some((failure) => failure.name === name));
  const sum = (reports, key) => reports.reduce((total, report) => total + report[key], 0);
  const passed = sum([...firsts, ...rest], 'numPassedTests') + flaky.length;
  console.log(`${passed} passed, ${failures.length} failed, ${sum([...firsts, ...rest], 'numPendingTests')} skipped`);
  for (const { name, why } of failures) console.log(`FAILED    ${name}\n          ${why}`);
  for (const { name, why } of flaky)
    console.log(`FLAKY     ${name}\n          failed first, then passed by itself: ${why}`);
}
