import { type CommandContext, UsageError } from './command.ts';

type Run = (context: CommandContext, args: readonly string[]) => Promise<number>;

/** A command with sub-commands, named by the first word. */
export function subCommands(subs: Readonly<Record<string, Run>>): Run {
  return (context, [first, ...rest]) => {
    const run = first === undefined ? undefined : subs[first];
    if (run && first !== undefined && Object.hasOwn(subs, first)) return run(context, rest);
    const names = Object.keys(subs).join(', ');
    throw new UsageError(first === undefined ? `Choose one of: ${names}.` : `"${first}" is not one of: ${names}.`);
  };
}
