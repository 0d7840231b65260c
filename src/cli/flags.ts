import { parseExact, stringifyExact } from '../core/json/exact-json.ts';
import type { Json, JsonObject } from '../core/json/json.ts';
import type { FlagAnswer } from '../operate/evaluate-flag.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import {
  applyFlagsCommand,
  diffFlagsCommand,
  exportFlagsCommand,
  flagTypesCommand,
  importFlagsCommand,
  promoteFlagCommand,
  rehashFlagCommand,
} from './flag-files.ts';
import { readArgs, readOptionalInteger, readPositionals, readTime } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Evaluates a feature flag for a user and explains the result; keeps flags in version control.

  cairn flags eval KEY --user ID [--at TIME] [--project ID] [--property KEY=VALUE]… [--group TYPE=KEY]…
  cairn flags export [--project ID] [--out FILE]
  cairn flags diff FILE [--project ID] [--prune]
  cairn flags apply FILE [--project ID] [--prune] [--dry-run | --yes]
  cairn flags promote KEY --from ID --to ID [--part PART]… [--copy-cohorts] [--dry-run | --yes]
  cairn flags import SOURCE FILE [--project ID] [--environment NAME] [--keep-people] [--accept KEY]…
                     [--verify [--contexts FILE]] [--dry-run | --yes]
  cairn flags rehash KEY [--project ID] [--dry-run | --yes]
  cairn flags types [--project ID] [--out FILE] [--check PATH…]

ID is a distinct id. --property overrides a stored property of the user; VALUE is parsed as JSON, or else taken as text.
--at evaluates the flag as of a time in the past, such as 2026-01-31T12:00:00Z, from the versions of the flag and the
history of the user's properties. What has no history is taken as it is now, and listed.

export writes all flags and the cohorts they refer to as one file; the same flags are the same text. apply shows what
would change and does it with --yes, all or nothing; without, it ends with 3 if there is something to do, like diff.
Flags that are not in the file stay, unless --prune deletes them. FILE may be - for standard input.

promote makes the flag of another project say the same. PART: conditions, variants, payloads, active, details.

import reads flags of another product; SOURCE: unleash, growthbook, launchdarkly, flagd, posthog. Those that would have
other values here are listed with the reason and left out, unless --accept names them. --keep-people imports percentages
with the hash of the other product, so that they reach the same people; those that --accept names keep their percentages
only. --verify proves it: each flag is evaluated for 10,000 users made of its conditions, or those of --contexts
([{"distinct_id", "properties"}]), here and by the other product's SDK, which has to be installed (unleash-client,
@growthbook/growthbook, @launchdarkly/node-server-sdk, @openfeature/flagd-core). What differs is left out.

rehash ends the hash of the other product for a flag that was imported with --keep-people: its percentages stay, its
people change. It says how many persons of the project get another value, and does it with --yes.

types writes TypeScript types of keys, variants and payloads, or a JSON Schema if FILE ends with .json. With --check nothing is written: it ends with 3 if FILE is
outdated, or if code in PATH, files, folders or patterns such as 'src/**/*.ts', asks for flags that do not exist, were
deleted, or are stale.`;

export const flags: Command = {
  name: 'flags',
  summary: 'Evaluate a flag (eval); flags in version control: export, diff, apply, promote, types.',
  help: HELP,
  run: subCommands({
    export: exportFlagsCommand,
    diff: diffFlagsCommand,
    apply: applyFlagsCommand,
    promote: promoteFlagCommand,
    import: importFlagsCommand,
    rehash: rehashFlagCommand,
    types: flagTypesCommand,
    async eval(context, args) {
      const kinds = { user: 'text', at: 'text', project: 'text', property: 'many', group: 'many' } as const;
      const { words, options } = readArgs(args, kinds);
      const { KEY } = readPositionals(words, 'KEY');
      if (options.user === null) throw new UsageError('--user is missing.');
      const answer = await (await context.operator()).run('flags.eval', {
        project: readOptionalInteger('--project', options.project),
        flag: KEY,
        user: options.user,
        at: options.at === null ? null : readTime('--at', options.at),
        properties: readPairs('--property', options.property, parseValue),
        groups: readPairs('--group', options.group, (text) => text),
      });
      if (context.json) context.out.json(answer);
      else printAnswer(context, answer);
      return EXIT.done;
    },
  }),
};

function readPairs<T extends Json>(
  name: string,
  pairs: readonly string[],
  read: (text: string) => T,
): Record<string, T> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1) throw new UsageError(`${name} is written KEY=VALUE, not "${pair}".`);
      return [pair.slice(0, cut), read(pair.slice(cut + 1))];
    }),
  );
}

function parseValue(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

function printAnswer({ out }: CommandContext, answer: FlagAnswer): void {
  out.print(`${answer.flag} is ${JSON.stringify(answer.value)} for ${answer.user} at ${answer.at}`);
  out.print(`  because    ${answer.description} (${answer.reason})`);
  if (answer.payload !== null) out.print(`  payload    ${stringifyExact(answer.payload)}`);
  out.print(`  version    ${answer.version}`);
  out.print(`  person     ${answer.person ?? 'unknown'}`);
  const count = Object.keys(answer.person_properties as JsonObject).length;
  if (count > 0) out.print(`  properties ${stringifyExact(answer.person_properties)}`);
  for (const assumed of answer.assumed) out.print(`  note       ${assumed}`);
}
