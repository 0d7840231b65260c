import { useContext, useState } from 'preact/hooks';
import {
  type AnnotationWrite,
  type ChartAnnotation,
  createAnnotation,
  updateAnnotation,
} from '../../api/annotations.ts';
import { localTime } from '../../charts/rules/unfinished.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { knownZone } from '../../lib/dates.ts';
import { momentOf } from '../../lib/local-dates.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { SCOPE_LABELS } from './scope-labels.ts';
import { annotationsChanged, ChartSubjectContext } from './use-annotations.ts';

type Scope = NonNullable<AnnotationWrite['scope']>;

interface AnnotationDialogProps {
  /** Null: a new one. */
  annotation: ChartAnnotation | null;
  onClose(): void;
}

export function AnnotationDialog({ annotation, onClose }: AnnotationDialogProps) {
  const { id, timezone } = useProject();
  const zone = knownZone(timezone);
  const { insight, dashboard } = useContext(ChartSubjectContext);
  const [content, setContent] = useState(annotation?.content ?? '');
  const [scope, setScope] = useState<Scope>(annotation?.scope ?? 'project');
  const [local, setLocal] = useState(() =>
    localTime(annotation?.date_marker ?? new Date().toISOString(), zone).replace(' ', 'T'),
  );
  const { run, busy, error } = useAction(async () => {
    const body = {
      content: content.trim(),
      scope,
      date_marker: new Date(momentOf(local, zone)).toISOString(),
      ...(annotation ? {} : { dashboard_item: scope === 'dashboard_item' ? insight : null, dashboard_id: null }),
    };
    await (annotation ? updateAnnotation(id, annotation.id, body) : createAnnotation(id, body));
    annotationsChanged();
    onClose();
  });
  const scopes = (['dashboard_item', 'dashboard', 'project', 'organization'] as const).filter(
    (one) =>
      (one !== 'dashboard_item' || (annotation ? annotation.dashboard_item : insight) !== null) &&
      (one !== 'dashboard' || (annotation?.dashboard_id ?? dashboard) !== null),
  );
  const isComplete = content.trim() !== '' && local !== '';
  return (
    <Dialog title={annotation ? 'Edit annotation' : 'New annotation'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void run();
        }}
      >
        <TextArea
          label="What happened"
          value={content}
          onInput={setContent}
          rows={3}
          placeholder="Version 2.0 released"
        />
        <TextField
          label="When"
          type="datetime-local"
          value={local}
          onInput={setLocal}
          hint={`In the time zone of the project, ${timezone}.`}
        />
        <Select<Scope>
          label="Show on"
          value={scope}
          options={scopes.map((value) => ({ value, label: SCOPE_LABELS[value] }))}
          onChange={setScope}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            Save annotation
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
