/** The server of an address: scheme, name and port. */
export const originOf = (url: string): string => new URL(url).origin;
