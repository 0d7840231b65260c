import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { WebTable } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { BreakdownDialog } from './breakdown-dialog.tsx';
import { Rows } from './web-rows.tsx';
import { TABLE_LABELS, type WebState } from './web-state.ts';

interface WebCardProps {
  title: string;
  tabs: readonly string[];
  selected: string;
  onSelect(table: string): void;
  table: WebTable | undefined;
  visitors: number;
  state: WebState;
  /** Said where a tab has no known value. */
  hint?: ComponentChildren;
  /** Above the rows. */
  children?: ComponentChildren;
}

/** A ranked list for each tab. */
export function WebCard({ title, tabs, selected, onSelect, table, visitors, state, hint, children }: WebCardProps) {
  const [isOpen, setOpen] = useState(false);
  const isUnknown = table?.rows.every(([value]) => value === '(none)') ?? true;
  const isTag = selected.startsWith('utm_');
  return (
    <section class="card stack-s web-card" aria-label={title}>
      <h2>{title}</h2>
      <Tabs
        label={title}
        tabs={tabs.map((id) => ({ id, label: id === FIRST_TAG ? 'UTM' : (TABLE_LABELS[id] ?? id) }))}
        value={isTag ? FIRST_TAG : selected}
        onChange={onSelect}
      >
        {isTag && <Select label="Tag" hideLabel value={selected} options={TAGS} onChange={onSelect} />}
        {children}
        {isUnknown && hint && <p class="muted small">{hint}</p>}
        {table === undefined || table.rows.length === 0 ? (
          <p class="muted small">No visitors in this date range.</p>
        ) : (
          <Rows table={selected} rows={table.rows} visitors={visitors} state={state} />
        )}
      </Tabs>
      {table !== undefined && table.rows.length > 0 && (
        <div class="web-card-foot">
          <Button small onClick={() => setOpen(true)}>
            {table.more ? `All ${formatNumber(table.total)}` : 'Details'}
          </Button>
        </div>
      )}
      {isOpen && <BreakdownDialog table={selected} visitors={visitors} state={state} onClose={() => setOpen(false)} />}
    </section>
  );
}

/** One tab for all five, with a choice inside. */
const FIRST_TAG = 'utm_campaign';
export const TAG_TABLES = [FIRST_TAG, 'utm_source', 'utm_medium', 'utm_term', 'utm_content'];
const TAGS = TAG_TABLES.map((value) => ({ value, label: TABLE_LABELS[value] ?? value }));
