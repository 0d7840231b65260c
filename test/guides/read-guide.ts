export interface Block {
  line: number;
  text: string;
  /** Texts that its output contains. */
  expected: string[];
  /** Why it is skipped, or null. */
  whyNot: string | null;
}

const BLOCK =
  /(?:<!-- not run: (?<whyNot>[^>]+) -->\n)?```sh\n(?<text>[\s\S]*?)\n```\n(?<after>(?:<!-- expect: .* -->\n)*)/g;

/** The blocks of shell commands in a guide. */
export function readGuide(markdown: string): Block[] {
  return [...markdown.matchAll(BLOCK)].map(({ index, groups = {} }) => ({
    line: markdown.slice(0, index).split('\n').length,
    text: groups.text ?? '',
    expected: [...(groups.after ?? '').matchAll(/<!-- expect: (.*) -->/g)].map(([, text = '']) => text),
    whyNot: groups.whyNot ?? null,
  }));
}
