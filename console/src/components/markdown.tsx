/** Draws parsed Markdown as elements, never as HTML: what people write cannot become code. */
import './markdown.css';
import type { Token, Tokens } from 'marked';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Code } from './code.tsx';
import { Link } from './link.tsx';

interface MarkdownRules {
  /** Where a link leads to; null: it is shown as text. */
  targetOf(href: string): string | null;
  /** What a heading is linked by; null: it is not drawn. Without it, headings cannot be linked to. */
  idOf?(heading: Tokens.Heading): string | null;
}

const Rules = createContext<MarkdownRules>({ targetOf: () => null });

export const Markdown = ({ tokens, ...rules }: MarkdownRules & { tokens: readonly Token[] }) => (
  <Rules.Provider value={rules}>
    <div class="prose">{blocks(tokens)}</div>
  </Rules.Provider>
);

type MarkedToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.List
  | Tokens.Code
  | Tokens.Table
  | Tokens.Blockquote
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Text
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Escape
  | Tokens.Br;

/** Blank lines have no case: they draw nothing. */
function drawBlock(token: MarkedToken, key: number): ComponentChildren {
  switch (token.type) {
    case 'heading':
      return <Heading key={key} token={token} />;
    case 'paragraph':
      return <p key={key}>{inline(token.tokens)}</p>;
    case 'list':
      return <List key={key} token={token} />;
    case 'code':
      return <Code key={key} text={token.text} label={`Example ${key}`} />;
    case 'table':
      return <Table key={key} token={token} />;
    case 'blockquote':
      return <blockquote key={key}>{blocks(token.tokens)}</blockquote>;
    case 'text':
      return <span key={key}>{inline(token.tokens ?? [token])}</span>;
    case 'hr':
      return <hr key={key} />;
    // Guides have only comments, whose source is not kept; what people write is shown as they wrote it.
    case 'html':
      return token.raw && <p key={key}>{token.raw}</p>;
    default:
      return null;
  }
}

const blocks = (tokens: readonly Token[]): ComponentChildren =>
  tokens.map((token, index) => drawBlock(token as MarkedToken, index));

function Heading({ token }: { token: Tokens.Heading }) {
  const id = useContext(Rules).idOf?.(token);
  if (id === null) return null;
  const Tag = token.depth <= 2 ? 'h2' : token.depth === 3 ? 'h3' : 'h4';
  return <Tag id={id}>{inline(token.tokens)}</Tag>;
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => <li key={index}>{blocks(item.tokens)}</li>);
  return token.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const Table = ({ token }: { token: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
  <section class="scroll" tabIndex={0} aria-label="Table">
    <table>
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            <th key={index} scope="col">
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const inline = (tokens: readonly Token[]): ComponentChildren =>
  tokens.map((token, index) => drawInline(token as MarkedToken, index));

function drawInline(token: MarkedToken, key: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case 'em':
      return <em key={key}>{inline(token.tokens)}</em>;
    case 'del':
      return <del key={key}>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code key={key}>{token.text}</code>;
    case 'link':
      return <Reference key={key} token={token} />;
    case 'br':
      return <br key={key} />;
    default:
      return 'text' in token ? token.text : null;
  }
}

function Reference({ token }: { token: Tokens.Link }) {
  const target = useContext(Rules).targetOf(token.href);
  if (target === null) return <span>{inline(token.tokens)}</span>;
  if (target.startsWith('/')) return <Link to={target}>{inline(token.tokens)}</Link>;
  return (
    <a href={target} rel="noreferrer">
      {inline(token.tokens)}
    </a>
  );
}
