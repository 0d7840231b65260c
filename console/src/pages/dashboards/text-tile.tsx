/** A text on a dashboard, in Markdown. */
import { useState } from 'preact/hooks';
import { Confirm } from '../../components/dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Loaded } from '../../components/states.tsx';
import { useResource } from '../../lib/use-resource.ts';
import { type TileControls, TileFrame } from './tile-frame.tsx';

interface TextTileProps extends TileControls {
  body: string;
  /** Rejects if it could not be saved. */
  onSave(body: string): Promise<unknown>;
}

export function TextTile({ body, onSave, ...controls }: TextTileProps) {
  const [isEditing, setEditing] = useState(false);
  // Most dashboards have no texts, so the parser is loaded when one is shown.
  const text = useResource(async () => (await import('marked')).marked.lexer(body), [body]);
  const edit = (
    <button type="button" onClick={() => setEditing(true)}>
      Edit text
    </button>
  );
  return (
    <TileFrame {...controls} title={`text ${firstLine(body)}`} menu={edit}>
      <Loaded resource={text}>{(tokens) => <Markdown tokens={tokens} targetOf={safeTarget} />}</Loaded>
      {isEditing && (
        <TextDialog title="Edit text" action="Save" body={body} onSave={onSave} onClose={() => setEditing(false)} />
      )}
    </TileFrame>
  );
}

interface TextDialogProps {
  title: string;
  action: string;
  body: string;
  onSave(body: string): Promise<unknown>;
  onClose(): void;
}

export function TextDialog({ title, action, body, onSave, onClose }: TextDialogProps) {
  const [text, setText] = useState(body);
  const save = (): Promise<unknown> => onSave(text.trim());
  return (
    <Confirm title={title} action={action} onConfirm={save} onClose={onClose}>
      <TextArea
        label="Text"
        rows={10}
        hint="Markdown: # heading, **bold**, - list, [link](https://example.com)."
        placeholder={'# Goals for this quarter\n\n- 10,000 weekly users'}
        value={text}
        onInput={setText}
      />
    </Confirm>
  );
}

/** People write these links: only those that cannot run anything are links. */
const safeTarget = (href: string): string | null => (/^(https?:\/\/|mailto:)/i.test(href) ? href : null);

const firstLine = (body: string): string => (body.split('\n', 1)[0] ?? '').replace(/^#+\s*/, '').slice(0, 60);
