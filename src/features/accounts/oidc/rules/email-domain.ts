/**
 * The domain of an address, in lower case; null if it has none. Look-alikes stay different: nothing is folded but case
 * and the form of composed letters.
 */
export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  const domain = email
    .slice(at + 1)
    .normalize('NFC')
    .toLowerCase();
  return at > 0 && domain !== '' ? domain : null;
}

/** The address as accounts are looked up by it. */
export const comparable = (email: string): string => email.normalize('NFC').toLowerCase();

/** A host name with at least one dot, as it is written in DNS. */
export const isDomainName = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(text);
