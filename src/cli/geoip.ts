import { readFile } from 'node:fs/promises';
import { systemClock } from '../lib/clock.ts';
import { type CountriesInUse, countriesInUse, updateCountries } from '../operate/update-countries.ts';
import { builtFile } from '../runtime/built-file.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Shows and replaces the table from which the countries of visitors are looked up, and looks up those of stored events.

  cairn geoip show
  cairn geoip update SOURCE    A file or an https address: a countries.br of a newer Cairn, or the .tgz of the npm
                               package @ip-location-db/geo-whois-asn-country.
  cairn geoip fill [--project ID]
                               Looks up the places of stored events that have an address ($ip) and no place.

The new table is checked before it replaces the former one: order, size, codes, known addresses, and that it is newer. A
running server reads it within seconds. In a cluster, run it on every node that accepts events. Events that are stored keep
the country that they have. Nothing is downloaded unless you give an address. Regions and cities come from GEOIP_FILE.

Filling goes through one day after the other and writes as it goes: stop it at any time, and run it again to go on. It
leaves persons as they are, and events that say where they came from, or that it is not to be looked up ($geoip_disable).`;

/** Twice what the package has. */
const MAX_BYTES = 64 * 1024 * 1024;

const filesOf = ({ config }: CommandContext) => ({ dataDir: config.dataDir, shipped: builtFile('countries.br') });

export const geoip: Command = {
  name: 'geoip',
  summary: 'Show and update the table of countries, and fill in countries.',
  help: HELP,
  run: subCommands({
    async show(context, args) {
      readPositionals(readArgs(args, {}).words);
      return print(context, await countriesInUse(filesOf(context)));
    },
    async update(context, args) {
      const { SOURCE } = readPositionals(readArgs(args, {}).words, 'SOURCE');
      const bytes = /^https?:\/\//.test(SOURCE) ? await download(SOURCE, context.signal) : await readFile(SOURCE);
      return print(context, await updateCountries(filesOf(context), bytes, systemClock.now()));
    },
    async fill(context, args) {
      const { words, options } = readArgs(args, { project: 'text' });
      readPositionals(words);
      const operator = await context.operator();
      const { id } = await operator.run('projects.find', { id: readOptionalInteger('--project', options.project) });
      const { events, isOn } = await operator.run('geoip.fill', { project: id }, { signal: context.signal });
      if (context.json) context.out.json({ events, is_on: isOn });
      else {
        const filled = `${events} events have a place now.`;
        context.out.print(isOn ? filled : 'This project does not look places up (web_analytics.geoip is false).');
      }
      return isOn ? EXIT.done : EXIT.attention;
    },
  }),
};

function print(context: CommandContext, table: CountriesInUse): number {
  const { date, countries, ranges, isShipped } = table;
  if (context.json) context.out.json({ date, countries, ranges, is_shipped: isShipped });
  else {
    context.out.print(
      `Table of countries of ${date}${isShipped ? ' (ships with Cairn)' : ''}: ${countries} countries, ${ranges} ranges.`,
    );
  }
  return EXIT.done;
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${url} is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
