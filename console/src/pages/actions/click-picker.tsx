/** Elements that people clicked recently, to make a step of one. */
import type { ActionStep } from '../../api/actions.ts';
import { listEvents } from '../../api/events.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { AUTOCAPTURE, type ClickedElement, clickedElements, stepOfElement } from './steps.ts';

const RECENT_CLICKS = 500;

interface ClickPickerProps {
  onPick(step: ActionStep): void;
  onClose(): void;
}

const labelOf = ({ tag, text, href, id }: ClickedElement): string => text || (id !== '' && `#${id}`) || href || tag;

export function ClickPicker({ onPick, onClose }: ClickPickerProps) {
  const { id } = useProject();
  const clicks = useResource(
    async (signal) =>
      clickedElements((await listEvents(id, { event: AUTOCAPTURE, limit: RECENT_CLICKS }, signal)).results),
    [id],
  );
  const columns: Column<ClickedElement>[] = [
    {
      id: 'element',
      title: 'Element',
      cell: (element) => (
        <>
          <b class="truncate" title={labelOf(element)}>
            {labelOf(element)}
          </b>
          <code class="truncate muted small">{`<${element.tag}>`}</code>
        </>
      ),
    },
    {
      id: 'url',
      title: 'Page',
      isWide: true,
      cell: ({ url }) => (
        <span class="truncate muted" title={url}>
          {url}
        </span>
      ),
    },
    { id: 'count', title: 'Clicks', isNumber: true, cell: ({ count }) => formatNumber(count) },
    {
      id: 'pick',
      title: 'Use',
      hideTitle: true,
      cell: (element) => (
        <Button
          small
          aria-label={`Use ${labelOf(element)}`}
          onClick={() => {
            onPick(stepOfElement(element));
            onClose();
          }}
        >
          Use
        </Button>
      ),
    },
  ];
  return (
    <Dialog side title="Recent clicks" onClose={onClose}>
      <p class="muted">What people clicked in the last {formatNumber(RECENT_CLICKS)} autocaptured events.</p>
      <Loaded resource={clicks}>
        {(elements) => (
          <Table
            label="Clicked elements, most frequent first"
            columns={columns}
            rows={elements}
            rowKey={({ tag, text, href, id: key }) => JSON.stringify([tag, text, href, key])}
            empty={
              <Empty title="No clicks yet">
                The browser SDK sends them unless autocapture is turned off in its options.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Dialog>
  );
}
