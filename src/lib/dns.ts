import { Resolver } from 'node:dns/promises';

export type TxtLookUp = (name: string) => Promise<string[]>;

/** The TXT records of a name; none if it has none. `server`: an address with a port; null: the resolvers of the machine. */
export function txtLookUp(server: string | null): TxtLookUp {
  return async (name) => {
    // A new one each time: it would remember answers, and a record that was just added would not be seen.
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (server !== null) resolver.setServers([server]);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
      throw error;
    }
  };
}
