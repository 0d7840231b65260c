import { systemClock } from '../lib/clock.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { checkHost } from './doctor-host.ts';
import { checkServer, type Finding } from './doctor-server.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Checks the installation for problems and says how to fix them.

  cairn doctor

It checks settings, the Node version, permissions and disk space of the data folder, the clock, every store, events that
wait or were dead-lettered, and the last backup. Reading the stores takes about a second per million events; events are
accepted meanwhile. The exit code is 3 if there is something to look at.`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation for problems.',
  help: HELP,
  async run(context, args) {
    readPositionals(readArgs(args, {}).words);
    const findings = [
      ...(await checkHost(context.config, process.versions.node)),
      ...(await checkRunningServer(context)),
    ];
    if (context.json) context.out.json(findings);
    else for (const finding of findings) context.out.print(describe(finding));
    return findings.every(({ state }) => state === 'ok') ? EXIT.done : EXIT.attention;
  },
};

/** A folder that cannot be opened is a finding, too. */
async function checkRunningServer(context: CommandContext): Promise<Finding[]> {
  try {
    const operator = await context.operator();
    const health = await operator.run('check', {}, { progress: context.onProgress, signal: context.signal });
    return checkServer(health, systemClock.now());
  } catch (error) {
    const advice = 'See the message. With a backup: cairn restore FILE --replace';
    return [{ about: 'stores', state: 'bad', detail: (error as Error).message, advice }];
  }
}

const MARK = { ok: 'ok  ', warning: 'look', bad: 'BAD ' } as const;

const INDENT = '\n      ';

const describe = ({ about, state, detail, advice }: Finding): string =>
  `${MARK[state]}  ${about}: ${detail.replaceAll('\n', INDENT)}${state === 'ok' ? '' : `${INDENT}→ ${advice}`}`;
