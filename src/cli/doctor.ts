import { systemClock } from '../lib/clock.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { checkHost } from './doctor-host.ts';
import { checkServer, type Finding } from './doctor-server.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Looks for what is wrong or will be, and says what to do.

  cairn doctor

Settings, Node, the data folder's permissions and disk space, the clock, every store read through, events that wait or
were set aside, the last backup. Reading everything takes about a second for a million events; events come in meanwhile.
It ends with 3 where there is something to look at.`;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Looks for what is wrong, and says what to do.',
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

/** That the folder cannot be opened is a finding, too. */
async function checkRunningServer(context: CommandContext): Promise<Finding[]> {
  try {
    const operator = await context.operator();
    const health = await operator.run('check', {}, { progress: context.onProgress, signal: context.signal });
    return checkServer(health, systemClock.now());
  } catch (error) {
    const advice = 'See what the message says; with a backup: cairn restore FILE --replace';
    return [{ about: 'stores', state: 'bad', detail: (error as Error).message, advice }];
  }
}

const MARK = { ok: 'ok  ', warning: 'look', bad: 'BAD ' } as const;

const describe = ({ about, state, detail, advice }: Finding): string =>
  `${MARK[state]}  ${about}: ${detail}${state === 'ok' ? '' : `\n      → ${advice}`}`;
