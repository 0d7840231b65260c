/** The logo, in the colours of the theme. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path
        fill="var(--ink-soft)"
        d="M3 25.4c0-3 5.3-4.6 12.6-4.6S29 22.2 29 25.2c0 3.1-5.4 4.3-13 4.3S3 28.6 3 25.4Z"
      />
      <path
        fill="var(--line-strong)"
        d="M7 16.4c.2-2.6 4-3.8 9.4-3.7 5.5.1 9 1.6 8.7 4-.3 2.5-4.2 3.5-9.3 3.4-5.3-.1-9-1.1-8.8-3.7Z"
      />
      <path fill="var(--accent)" d="M11 8.3c0-2.9 2.4-5 5.2-5 3 0 5.1 1.9 5 4.6-.1 2.7-2.3 4-5.2 4-2.8 0-5-.9-5-3.6Z" />
    </svg>
  );
}
