/** Tags as they are stored: trimmed, in lower case, without duplicates and empty ones, in their first order. */
export const cleanTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')),
];
