import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ChartAnnotation, listAnnotations, updateAnnotation } from '../../api/annotations.ts';
import { actionsColumn } from '../../components/actions-column.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { AnnotationDialog } from './annotation-dialog.tsx';
import { SCOPE_LABELS } from './scope-labels.ts';
import { annotationsChanged } from './use-annotations.ts';

const PAGE_SIZE = 50;

export function Page() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [search] = useQueryState('search');
  const [edited, setEdited] = useState<ChartAnnotation | 'new' | null>(null);
  const [deleted, setDeleted] = useState<ChartAnnotation | null>(null);
  const text = useDebounced(search.trim(), 250);
  const list = useResource(
    (signal) => listAnnotations(id, { search: text, limit: PAGE_SIZE, offset }, signal),
    [id, text, offset],
  );
  const add = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      New annotation
    </Button>
  );
  return (
    <PageFrame
      title="Annotations"
      lead="Notes on charts: releases, campaigns, outages. Changes of flags and experiments, and alerts that fire, appear by themselves."
      actions={add}
    >
      <div class="row-end">
        <TextField
          label="Search annotations"
          hideLabel
          type="search"
          placeholder="Search"
          value={search}
          onInput={(value) => changeFilter({ search: value || null })}
        />
      </div>
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            <Table
              label="Annotations, latest first"
              columns={columnsFor({ projectId: id, edit: setEdited, remove: setDeleted })}
              rows={results}
              rowKey={(one) => one.id}
              empty={<NoAnnotations isFiltered={text !== ''} add={add} />}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {edited !== null && (
        <AnnotationDialog
          annotation={edited === 'new' ? null : edited}
          onClose={() => {
            setEdited(null);
            list.reload();
          }}
        />
      )}
      {deleted !== null && (
        <Confirm
          title="Delete annotation"
          action="Delete"
          danger
          onClose={() => setDeleted(null)}
          onConfirm={async () => {
            await updateAnnotation(id, deleted.id, { deleted: true });
            annotationsChanged();
            list.reload();
          }}
        >
          <p>“{deleted.content}” disappears from all charts.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const NoAnnotations = ({ isFiltered, add }: { isFiltered: boolean; add: ComponentChildren }) =>
  isFiltered ? (
    <Empty title="No annotation contains this text">Clear the search to see all of them.</Empty>
  ) : (
    <Empty title="No annotations yet" action={add}>
      Mark on all charts what happened when. A release pipeline does it with <code>cairn annotate "v1.2.0"</code> or the
      API.
    </Empty>
  );

interface RowActions {
  projectId: number;
  edit(annotation: ChartAnnotation): void;
  remove(annotation: ChartAnnotation): void;
}

const columnsFor = ({ projectId, edit, remove }: RowActions): Column<ChartAnnotation>[] => [
  { id: 'when', title: 'When', cell: ({ date_marker }) => <Time at={date_marker} /> },
  { id: 'content', title: 'Annotation', cell: ({ content }) => content },
  {
    id: 'scope',
    title: 'Shown on',
    isWide: true,
    cell: (one) =>
      one.insight_short_id === null ? (
        (one.dashboard_name ?? SCOPE_LABELS[one.scope])
      ) : (
        <Link to={pathTo('insight', { project: projectId, insight: one.dashboard_item ?? '' }) ?? '/'}>
          {one.insight_name || one.insight_derived_name || 'Untitled insight'}
        </Link>
      ),
  },
  {
    id: 'by',
    title: 'Created by',
    isWide: true,
    cell: ({ created_by: by, creation_type }) => (
      <>
        {by && (by.first_name || by.email)} {creation_type === 'GIT' && <Badge>Release</Badge>}
      </>
    ),
  },
  actionsColumn({ edit, remove }),
];
