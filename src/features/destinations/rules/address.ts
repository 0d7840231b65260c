/** The server of an address: scheme, name and port. */
export const serverOf = (url: string): string => new URL(url).origin;
