/** Flags as a file, and flags promoted to another project. */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringifyExact } from '../core/json/exact-json.ts';
import type { Json } from '../core/json/json.ts';
import { systemClock } from '../lib/clock.ts';
import { verifyVendorFlags } from '../operate/verify-flags.ts';
import { checkFlagKeys, listCode } from './check-flag-keys.ts';
import { type CommandContext, EXIT, UsageError } from './command.ts';
import { oneOf, readArgs, readInteger, readOptionalInteger, readPositionals } from './read-args.ts';

type Run = (context: CommandContext, args: readonly string[]) => Promise<number>;
type ShownDifference = { path: string; from: unknown; to: unknown };

export const exportFlagsCommand: Run = async (context, args) => {
  const { words, options } = readArgs(args, { project: 'text', out: 'text' });
  readPositionals(words);
  const project = readOptionalInteger('--project', options.project);
  const { text, flags } = await (await context.operator()).run('flags.export', { project });
  if (options.out === null) context.out.stdout.write(text);
  else {
    await writeFile(options.out, text);
    context.out.note(`${flags} flags in ${options.out}.`);
  }
  return EXIT.done;
};

export const applyFlagsCommand: Run = async (context, args) => {
  const kinds = { project: 'text', prune: 'flag', 'dry-run': 'flag', yes: 'flag' } as const;
  const { words, options } = readArgs(args, kinds);
  const { FILE } = readPositionals(words, 'FILE');
  if (options.yes && options['dry-run']) throw new UsageError('--yes and --dry-run exclude each other.');
  const asked = { project: readOptionalInteger('--project', options.project), text: await readText(context, FILE) };
  const operator = await context.operator();
  const plan = await operator.run('flags.apply', { ...asked, prune: options.prune, confirm: null });
  const isApplied = options.yes && plan.changes.length > 0;
  if (isApplied) await operator.run('flags.apply', { ...asked, prune: options.prune, confirm: plan.confirm });
  if (context.json) context.out.json({ ...plan, status: isApplied ? 'applied' : 'planned' });
  else printPlan(context, plan);
  if (plan.changes.length === 0 || options['dry-run']) return EXIT.done;
  context.out.note(isApplied ? `${plan.changes.length} changes applied.` : 'Nothing was changed yet: add --yes.');
  return isApplied ? EXIT.done : EXIT.attention;
};

/** Like `apply --dry-run`, but it ends with 3 if the project differs from the file: for a pipeline that watches for drift. */
export const diffFlagsCommand: Run = async (context, args) => {
  const { words, options } = readArgs(args, { project: 'text', prune: 'flag' });
  const { FILE } = readPositionals(words, 'FILE');
  const project = readOptionalInteger('--project', options.project);
  const asked = { project, text: await readText(context, FILE), prune: options.prune, confirm: null };
  const plan = await (await context.operator()).run('flags.apply', asked);
  if (context.json) context.out.json(plan);
  else printPlan(context, plan);
  return plan.changes.length === 0 ? EXIT.done : EXIT.attention;
};

const readText = (context: CommandContext, file: string): Promise<string> =>
  file === '-' ? context.readInput() : readFile(file, 'utf8');

interface Plan {
  changes: readonly { kind: string; name: string; action: string; diff: readonly ShownDifference[] }[];
  unlisted: readonly string[];
}

const SIGNS: Readonly<Record<string, string>> = { create: '+', update: '~', delete: '-' };

function printPlan({ out }: CommandContext, { changes, unlisted }: Plan): void {
  if (changes.length === 0) out.print('The project says what the file says.');
  for (const { kind, name, action, diff } of changes) {
    out.print(`${SIGNS[action] ?? ' '} ${action} ${kind} ${name}`);
    // A new one has nothing to compare with.
    if (action === 'update') printDifferences(out, diff);
  }
  if (unlisted.length > 0) out.note(`Not in the file, and left alone without --prune: ${unlisted.join(', ')}`);
}

function printDifferences(out: CommandContext['out'], diff: readonly ShownDifference[]): void {
  for (const { path, from, to } of diff) out.print(`    ${path}: ${stringifyExact(from)} → ${stringifyExact(to)}`);
}

export const promoteFlagCommand: Run = async (context, args) => {
  const kinds = {
    from: 'text',
    to: 'text',
    part: 'many',
    'copy-cohorts': 'flag',
    'dry-run': 'flag',
    yes: 'flag',
  } as const;
  const { words, options } = readArgs(args, kinds);
  const { KEY } = readPositionals(words, 'KEY');
  if (options.from === null || options.to === null) throw new UsageError('--from and --to name the two projects.');
  if (options.yes && options['dry-run']) throw new UsageError('--yes and --dry-run exclude each other.');
  const asked = {
    flag: KEY,
    from: readInteger('--from', options.from),
    to: readInteger('--to', options.to),
    parts: options.part,
    copyCohorts: options['copy-cohorts'],
  };
  const operator = await context.operator();
  const plan = await operator.run('flags.promote', { ...asked, confirm: null });
  const isPromoted = options.yes && plan.confirm !== null && (plan.diff.length > 0 || plan.isNew);
  if (isPromoted) await operator.run('flags.promote', { ...asked, confirm: plan.confirm });
  if (context.json) context.out.json({ ...plan, status: isPromoted ? 'promoted' : 'planned' });
  else printPromotion(context, KEY, asked.to, plan);
  if (plan.missing.length > 0) return EXIT.attention;
  if (isPromoted) context.out.note(`${KEY} was promoted to project ${asked.to}.`);
  else if (plan.diff.length > 0) context.out.note('Nothing was changed yet: add --yes.');
  return isPromoted || plan.diff.length === 0 || options['dry-run'] ? EXIT.done : EXIT.attention;
};

interface Promotion {
  isNew: boolean;
  diff: readonly ShownDifference[];
  copies: readonly string[];
  changed: number | null;
  total: number;
  missing: readonly { kind: string; name: string; reason: string }[];
}

function printPromotion({ out }: CommandContext, key: string, to: number, plan: Promotion): void {
  if (plan.isNew) out.print(`+ create flag ${key} in project ${to}`);
  else if (plan.diff.length === 0) out.print(`${key} says the same in project ${to}.`);
  else out.print(`~ update flag ${key} in project ${to}`);
  if (!plan.isNew) printDifferences(out, plan.diff);
  if (plan.changed !== null) out.print(`  ${plan.changed} of ${plan.total} users get another value`);
  for (const name of plan.copies) out.print(`+ create cohort ${name}`);
  for (const { kind, name, reason } of plan.missing) out.print(`! ${kind.replace('_', ' ')} "${name}": ${reason}`);
}

export const rehashFlagCommand: Run = async (context, args) => {
  const { words, options } = readArgs(args, { project: 'text', 'dry-run': 'flag', yes: 'flag' });
  const { KEY } = readPositionals(words, 'KEY');
  if (options.yes && options['dry-run']) throw new UsageError('--yes and --dry-run exclude each other.');
  const asked = { project: readOptionalInteger('--project', options.project), flag: KEY };
  const operator = await context.operator();
  const plan = await operator.run('flags.rehash', { ...asked, version: null });
  const done = options.yes ? await operator.run('flags.rehash', { ...asked, version: plan.version }) : null;
  if (context.json) context.out.json({ ...(done ?? plan), status: done ? 'rehashed' : 'planned' });
  else {
    context.out.print(`~ update flag ${KEY}`);
    printDifferences(context.out, plan.diff);
    context.out.print(`  ${plan.changed} of ${plan.total} users get another value`);
    for (const { from, to, count } of plan.changes)
      context.out.print(`    ${stringifyExact(from)} → ${stringifyExact(to)}: ${count}`);
  }
  context.out.note(done ? `${KEY} was rehashed.` : 'Nothing was changed yet: add --yes.');
  return done || options['dry-run'] ? EXIT.done : EXIT.attention;
};

export const flagTypesCommand: Run = async (context, args) => {
  const { words: code, options } = readArgs(args, { project: 'text', out: 'text', check: 'flag' });
  const project = readOptionalInteger('--project', options.project);
  const format = options.out?.endsWith('.json') ? 'json' : 'ts';
  const { text, keys } = await (await context.operator()).run('flags.types', { project, format });
  if (!options.check) {
    if (code.length > 0) throw new UsageError('Files and folders are only searched with --check.');
    if (options.out === null) context.out.stdout.write(text);
    else await writeFile(options.out, text);
    return EXIT.done;
  }
  const isOutdated = options.out !== null && (await readFile(options.out, 'utf8').catch(() => '')) !== text;
  const generated = options.out === null ? null : resolve(options.out);
  const files = (await listCode(code)).filter((file) => resolve(file) !== generated);
  const problems = await checkFlagKeys(files, keys);
  if (context.json) context.out.json({ outdated: isOutdated, problems });
  else {
    if (isOutdated) context.out.print(`${options.out}: outdated, run: cairn flags types --out ${options.out}`);
    for (const { file, line, key, problem } of problems) context.out.print(`${file}:${line}: flag "${key}" ${problem}`);
  }
  return isOutdated || problems.length > 0 ? EXIT.attention : EXIT.done;
};

const SOURCES = ['unleash', 'growthbook', 'launchdarkly', 'posthog', 'flagd'] as const;

export const importFlagsCommand: Run = async (context, args) => {
  const kinds = {
    project: 'text',
    environment: 'text',
    accept: 'many',
    'keep-people': 'flag',
    verify: 'flag',
    contexts: 'text',
    'dry-run': 'flag',
    yes: 'flag',
  } as const;
  const { words, options } = readArgs(args, kinds);
  const { SOURCE, FILE } = readPositionals(words, 'SOURCE', 'FILE');
  if (options.yes && options['dry-run']) throw new UsageError('--yes and --dry-run exclude each other.');
  const asked = {
    project: readOptionalInteger('--project', options.project),
    source: oneOf('SOURCE', SOURCE, SOURCES),
    text: await readText(context, FILE),
    environment: options.environment ?? 'production',
    accept: options.accept,
    keepPeople: options['keep-people'] ? (true as const) : [],
  };
  if (options.contexts !== null && !options.verify) throw new UsageError('--contexts is only used with --verify.');
  const contexts = options.contexts === null ? null : await readText(context, options.contexts);
  const now = systemClock.now();
  const proof = options.verify ? await verifyVendorFlags({ ...asked, contexts, now }) : null;
  const differing = (proof?.differ ?? []).map(({ key, reason }) => ({ key, why: reason }));
  const operator = await context.operator();
  const outcome = await operator.run('flags.import', { ...asked, differing, confirm: null });
  const { plan, differ, notImported } = outcome;
  const isApplied = options.yes && plan.changes.length > 0;
  if (isApplied) await operator.run('flags.import', { ...asked, differing, confirm: plan.confirm });
  if (context.json) context.out.json({ ...outcome, proof, status: isApplied ? 'applied' : 'planned' });
  else {
    printPlan(context, plan);
    for (const { key, reason, accepted, compared } of differ) {
      context.out.print(`! ${key} ${accepted ? '(accepted)' : 'was left out'}: ${reason}`);
      if (compared) context.out.print(`    ${compared.changed} of ${compared.users} made-up users get another value`);
    }
    for (const { key, why } of notImported) context.out.print(`! ${key} was left out: ${why}`);
    const equal = outcome.equal.length + outcome.kept.length;
    context.out.print(`${equal} of ${outcome.total} flags have equal values for everybody.`);
    if (outcome.kept.length > 0) context.out.print(`They keep their people: ${outcome.kept.join(', ')}`);
    if (proof) printProof(context, proof);
  }
  if (plan.changes.length > 0)
    context.out.note(isApplied ? `${plan.changes.length} changes applied.` : 'Nothing was changed yet: add --yes.');
  return EXIT.done;
};

type Proof = Awaited<ReturnType<typeof verifyVendorFlags>>;

function printProof({ out }: CommandContext, proof: Proof): void {
  const { evaluator, equal, differ, otherTypes, notImported, flags, users } = proof;
  const converted = flags - notImported.length;
  const printExamples = (some: Proof['differ']): void => {
    for (const { key, examples } of some) {
      for (const { context, theirs, ours } of examples) {
        const user = stringifyExact({ distinct_id: context.distinctId, properties: context.properties });
        out.print(
          `    ${key} for ${user}: theirs ${stringifyExact(theirs as Json)}, ours ${stringifyExact(ours as Json)}`,
        );
      }
    }
  };
  out.print(`${equal.length} of ${converted} flags give ${users} users the value that ${evaluator} gives them.`);
  printExamples(differ);
  if (otherTypes.length === 0) return;
  const keys = otherTypes.map(({ key }) => key).join(', ');
  out.print(
    `Values that the conditions do not expect (of other types, null, versions like 2-alpha) may differ: ${keys}`,
  );
  printExamples(otherTypes);
}
