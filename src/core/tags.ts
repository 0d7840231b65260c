/** Tags as they are kept: trimmed, in lower case, each once, none of them empty; in the order of first mention. */
export const cleanTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')),
];
