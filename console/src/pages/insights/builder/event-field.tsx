import { useEffect, useRef, useState } from 'preact/hooks';
import { listActions } from '../../../api/actions.ts';
import { findEvents } from '../../../api/definitions.ts';
import { Combobox, type Suggestion } from '../../../components/combobox.tsx';
import { describeEvent } from '../../../lib/descriptions.ts';
import { EVENT_NAMES } from '../../../lib/friendly-names.ts';
import { recentPicks, rememberPick } from '../../../lib/recent-picks.ts';
import { useProject } from '../../../lib/session.ts';
import type { Series } from '../question.ts';

/** A custom event of this name can still be selected with a filter. */
const ALL = 'All events';
/** Begins the value of a suggested action; no event has such a name. */
const ACTION = '\u0001action:';

type Entity = Pick<Series, 'event' | 'action'>;

interface EventFieldProps {
  label: string;
  value: Entity;
  onChange(value: Entity): void;
  /** Only events by name: no actions, and not all events. */
  isPlain?: boolean;
  /** Takes the focus whenever this changes to another text, so that its list is open at once. */
  focusKey?: string | null;
}

const textOf = ({ event, action }: Entity): string => action?.name ?? event ?? ALL;

/** An event or action. Changes when one is picked or the field is left, not on every keystroke. */
export function EventField({ label, value, onChange, isPlain = false, focusKey = null }: EventFieldProps) {
  const { id } = useProject();
  const shown = textOf(value);
  const [text, setText] = useState(shown);
  // What was typed and committed last, at once: the field may lose the focus, or be gone, before it is rendered again.
  const latest = useRef({ typed: shown, committed: shown });
  useEffect(() => {
    setText(shown);
    latest.current = { typed: shown, committed: shown };
  }, [shown]);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusKey !== null) frame.current?.querySelector('input')?.focus();
  }, [focusKey]);
  const actions = useRef<ReadonlyMap<string, string>>(new Map());
  const commit = (typed: string): void => {
    const next = typed.trim();
    if (next === latest.current.committed) return;
    latest.current = { typed: next, committed: next };
    const name = actions.current.get(next);
    if (name !== undefined) onChange({ event: '', action: { id: Number(next.slice(ACTION.length)), name } });
    else {
      if (next !== ALL && next !== '') rememberPick(id, 'events', next);
      onChange({ event: next === ALL ? null : next, action: null });
    }
  };
  const suggest = async (part: string, signal: AbortSignal): Promise<Suggestion[]> => {
    // Suggest everything until the text differs from the selected event.
    const search = part === shown ? '' : part;
    const [events, listed] = await Promise.all([
      findEvents(id, search, signal),
      isPlain ? [] : listActions(id, signal),
    ]);
    const matching = listed.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
    actions.current = new Map(listed.map((action) => [ACTION + action.id, action.name]));
    const found = events.map(({ name, description }) => suggestionOf(name, description));
    const recent = search === '' ? recentPicks(id, 'events') : [];
    return [
      ...recent.flatMap((name) => found.find((one) => one.value === name) ?? []).map(inSection('Recent')),
      ...found.map(inSection('Events')),
      ...matching.map(({ id: key, name, description }) => ({
        value: ACTION + key,
        label: name,
        section: 'Actions',
        ...(description === '' ? {} : { description }),
      })),
      ...(!isPlain && ALL.toLowerCase().includes(search.toLowerCase()) ? [{ value: ALL, section: 'Any' }] : []),
    ];
  };
  return (
    <div ref={frame} onFocusOut={() => commit(latest.current.typed)}>
      <Combobox
        label={label}
        hideLabel
        placeholder="Select event"
        names={EVENT_NAMES}
        value={text}
        onChange={(next) => {
          latest.current.typed = next;
          if (!next.startsWith(ACTION)) setText(next);
        }}
        onCommit={commit}
        suggest={suggest}
        inputs={[id, shown]}
      />
    </div>
  );
}

const suggestionOf = (name: string, given: string | null | undefined): Suggestion => {
  const description = describeEvent(name, given);
  return { value: name, ...(description === undefined ? {} : { description }) };
};

const inSection =
  (section: string) =>
  (one: Suggestion): Suggestion => ({ ...one, section });
