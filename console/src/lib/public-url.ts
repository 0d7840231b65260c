/** The address that SDKs should use: what PUBLIC_URL says, else where this page came from. */
export function publicUrl(): string {
  const told = document.querySelector<HTMLMetaElement>('meta[name="cairn-public-url"]')?.content ?? '';
  return told === '' ? location.origin : told;
}
