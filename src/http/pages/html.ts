/** HTML as text: whatever is put into it is escaped, unless it is HTML itself. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

export function html(parts: TemplateStringsArray, ...values: (string | Html)[]): Html {
  const filled = values.map((value) => (value instanceof Html ? value.text : escapeHtml(value)));
  return new Html(String.raw({ raw: parts }, ...filled));
}

export const NOTHING = html``;
