import { type Html, html } from './html.ts';

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
form { display: grid; gap: 0.75rem; }
label { display: grid; gap: 0.25rem; }
input, button { font: inherit; padding: 0.5rem 0.75rem; border: 1px solid #8888; border-radius: 6px; }
button { cursor: pointer; justify-self: start; }
code { overflow-wrap: anywhere; }
[role='alert'] { border-left: 4px solid #c33; padding: 0.25rem 0.75rem; }
`;

export const page = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Cairn</title>
<link rel="stylesheet" href="/pages.css">
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;

/** What went wrong, where a screen reader says it at once. */
export const problem = (message: string): Html => html`<p role="alert">${message}</p>`;
