import { LEVELS, type LevelName } from '../operate/users.ts';
import { type Command, type CommandContext, EXIT, UsageError } from './command.ts';
import { formatTime } from './output.ts';
import { oneOf, readArgs, readPositionals } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Manages users of the console and the private API.

  cairn users list
  cairn users invite EMAIL [--name NAME] [--level member|admin|owner] [--organization ID]
                                                        Prints a link with which they choose their own password.
  cairn users create EMAIL [--name NAME] [--level member|admin|owner] [--organization ID] [--password-stdin]
  cairn users set-email EMAIL NEW                       Ends their sessions; their keys stay valid.
  cairn users reset EMAIL                               Prints a link with which they choose a new password.
  cairn users reset-password EMAIL [--password-stdin]   Ends their sessions; their keys stay valid.
  cairn users 2fa-off EMAIL                             Removes authenticator app, passkeys and recovery codes.
  cairn users break-glass EMAIL [--off]                 Lets an owner in by password and second factor while the provider
                                                        of single sign-on is away, and prints where.
  cairn users revoke EMAIL                              Blocks them: ends their sessions and deletes their keys.
  cairn users activate EMAIL                            Lets them sign in again with their password.

Without --password-stdin a password is generated and printed once. With it, the password is read from standard input:
  cairn users reset-password ada@example.org --password-stdin < password.txt`;

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

function readEmail(words: readonly string[]): string {
  const { EMAIL } = readPositionals(words, 'EMAIL');
  if (!EMAIL_PATTERN.test(EMAIL)) throw new UsageError(`"${EMAIL}" is not an email address.`);
  return EMAIL;
}

function printPassword(
  { out, json }: CommandContext,
  made: { email: string; password: string | null },
  words: string,
): number {
  if (json) out.json(made);
  else {
    out.print(words);
    if (made.password !== null) out.print(`Password (shown once): ${made.password}`);
  }
  return EXIT.done;
}

const setActive =
  (active: boolean, words: (email: string, keys: number) => string) =>
  async (context: CommandContext, args: readonly string[]): Promise<number> => {
    const email = readEmail(readArgs(args, {}).words);
    const { keys } = await (await context.operator()).run('users.set-active', { email, active });
    if (context.json) context.out.json({ email, is_active: active, revoked_keys: keys });
    else context.out.print(words(email, keys));
    return EXIT.done;
  };

export const users: Command = {
  name: 'users',
  summary:
    'Manage users: invite, create, list, revoke, activate, set-email, reset, reset-password, 2fa-off, break-glass.',
  help: HELP,
  run: subCommands({
    async list(context, args) {
      readPositionals(readArgs(args, {}).words);
      const found = await (await context.operator()).run('users.list', {});
      if (context.json) context.out.json(found);
      else {
        const rows = found.map((user) => [
          user.email,
          user.name,
          user.memberships.map(({ level }) => level).join(', '),
          user.is_active ? (user.has_password ? 'active' : 'no password yet') : 'revoked',
          String(user.keys),
          formatTime(user.joined_at),
        ]);
        context.out.table(['EMAIL', 'NAME', 'LEVEL', 'STATE', 'KEYS', 'JOINED'], rows, 'There are no users.');
      }
      return EXIT.done;
    },
    async create(context, args) {
      const kinds = { name: 'text', level: 'text', organization: 'text', 'password-stdin': 'flag' } as const;
      const { words, options } = readArgs(args, kinds);
      const email = readEmail(words);
      const level = oneOf('--level', options.level ?? 'member', Object.keys(LEVELS) as LevelName[]);
      const password = options['password-stdin'] ? await context.readInput() : null;
      const { organization } = options;
      const wanted = { email, name: options.name ?? email.split('@')[0] ?? email, level, organization, password };
      const made = await (await context.operator({ mayBegin: true })).run('users.create', wanted);
      return printPassword(context, made, `Created ${made.email} (${level}).`);
    },
    async invite(context, args) {
      const { words, options } = readArgs(args, { name: 'text', level: 'text', organization: 'text' });
      const email = readEmail(words);
      const level = oneOf('--level', options.level ?? 'member', Object.keys(LEVELS) as LevelName[]);
      const wanted = { email, name: options.name ?? '', level, organization: options.organization };
      const made = await (await context.operator({ mayBegin: true })).run('users.invite', wanted);
      if (context.json) context.out.json(made);
      else context.out.print(made.link);
      context.out.note(`Give the link to ${made.email}. It works once, for three days, and is not shown again.`);
      return EXIT.done;
    },
    async 'set-email'(context, args) {
      const { EMAIL, NEW } = readPositionals(readArgs(args, {}).words, 'EMAIL', 'NEW');
      const to = readEmail([NEW]);
      const { email } = await (await context.operator()).run('users.set-email', { email: EMAIL, to });
      if (context.json) context.out.json({ email });
      else context.out.print(`${EMAIL} is now ${email}; their sessions have ended.`);
      return EXIT.done;
    },
    async reset(context, args) {
      const email = readEmail(readArgs(args, {}).words);
      const made = await (await context.operator()).run('users.reset', { email });
      if (context.json) context.out.json(made);
      else context.out.print(made.link);
      context.out.note(`Give the link to ${made.email}. It works once, for an hour, and is not shown again.`);
      return EXIT.done;
    },
    async 'reset-password'(context, args) {
      const { words, options } = readArgs(args, { 'password-stdin': 'flag' });
      const email = readEmail(words);
      const given = options['password-stdin'] ? await context.readInput() : null;
      const { password } = await (await context.operator()).run('users.reset-password', { email, password: given });
      return printPassword(context, { email, password }, `Reset the password of ${email} and ended their sessions.`);
    },
    async '2fa-off'(context, args) {
      const email = readEmail(readArgs(args, {}).words);
      const made = await (await context.operator()).run('users.2fa-off', { email });
      if (context.json) context.out.json(made);
      else context.out.print(`Removed all second factors of ${made.email} and ended their sessions.`);
      return EXIT.done;
    },
    async 'break-glass'(context, args) {
      const { words, options } = readArgs(args, { off: 'flag' });
      const on = !options.off;
      const made = await (await context.operator()).run('users.break-glass', { email: readEmail(words), on });
      if (context.json) context.out.json({ email: made.email, is_break_glass: on, link: on ? made.link : null });
      else if (on) context.out.print(made.link);
      else context.out.print(`${made.email} signs in like everybody else again.`);
      if (on) context.out.note(`${made.email} can sign in there without the provider; all owners are told each time.`);
      return EXIT.done;
    },
    revoke: setActive(false, (email, keys) => `Revoked ${email}; deleted ${keys} keys.`),
    activate: setActive(true, (email) => `Activated ${email}.`),
  }),
};
