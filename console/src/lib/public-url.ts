/** The address for SDKs: PUBLIC_URL, or where this page came from. */
export function publicUrl(): string {
  const configured = document.querySelector<HTMLMetaElement>('meta[name="cairn-public-url"]')?.content ?? '';
  return configured === '' ? location.origin : configured;
}
