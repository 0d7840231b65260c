import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { useProject } from '../../lib/session.ts';
import {
  COMPRESSIONS,
  type Compression,
  type ExportDraft,
  type ExportInterval,
  type FileFormat,
  FORMATS,
  INTERVALS,
  MODELS,
  type Model,
  PLACES,
  type Place,
} from './export-draft.ts';

interface FormProps {
  draft: ExportDraft;
  onChange(draft: ExportDraft): void;
}

/** What is exported, and when. */
export function ScheduleFields({ draft, isNew, onChange }: FormProps & { isNew: boolean }) {
  const { timezone } = useProject();
  const set = (changes: Partial<ExportDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <TextField label="Name" value={draft.name} onInput={(name) => set({ name })} placeholder="Data lake" />
      <Select<Model>
        label="Rows"
        value={draft.model}
        options={MODELS}
        disabled={!isNew}
        onChange={(model) => set({ model })}
        hint={isNew ? undefined : 'They cannot be changed. Create another export instead.'}
      />
      <Select<ExportInterval>
        label="Schedule"
        value={draft.interval}
        options={INTERVALS}
        onChange={(interval) => set({ interval })}
        hint="Whole intervals of UTC; a run begins when all of its events are processed."
      />
      <div class="row">
        <TextField label="Not before" type="datetime-local" value={draft.start} onInput={(start) => set({ start })} />
        <TextField label="Until" type="datetime-local" value={draft.end} onInput={(end) => set({ end })} />
      </div>
      <p class="muted small">Both are optional, in {timezone}. Export earlier events with a backfill.</p>
    </>
  );
}

/** Where files go, and what they are like. */
export function PlaceFields({ draft, hasKeys, onChange }: FormProps & { hasKeys: boolean }) {
  const set = (changes: Partial<ExportDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <Select<Place> label="Place" value={draft.place} options={PLACES} onChange={(place) => set({ place })} />
      {draft.place === 'S3' ? (
        <StoreFields draft={draft} hasKeys={hasKeys} onChange={onChange} />
      ) : (
        <p class="muted small">
          Below <code>EXPORT_DIR</code>, which the operator of the server has to set.
        </p>
      )}
      <TextField
        label="Prefix"
        value={draft.prefix}
        onInput={(prefix) => set({ prefix })}
        spellcheck={false}
        hint={
          <>
            A path. <code>{'{year} {month} {day} {hour} {model}'}</code> are filled in.
          </>
        }
      />
      <div class="row">
        <Select<FileFormat>
          label="Format"
          value={draft.format}
          options={FORMATS}
          onChange={(format) =>
            set({
              format,
              compression: format === 'JSONLines' && draft.compression === 'zstd' ? 'gzip' : draft.compression,
            })
          }
        />
        <Select<Compression>
          label="Compression"
          value={draft.compression}
          options={COMPRESSIONS}
          onChange={(compression) => set({ compression })}
        />
        <TextField
          label="Size of a file in MB"
          type="number"
          min={1}
          max={1024}
          value={draft.maxFileSizeMb}
          onInput={(maxFileSizeMb) => set({ maxFileSizeMb })}
        />
      </div>
    </>
  );
}

function StoreFields({ draft, hasKeys, onChange }: FormProps & { hasKeys: boolean }) {
  const set = (changes: Partial<ExportDraft>): void => onChange({ ...draft, ...changes });
  const stored = hasKeys ? '******' : '';
  return (
    <>
      <div class="row">
        <TextField
          label="Bucket"
          value={draft.bucket}
          onInput={(bucket) => set({ bucket })}
          placeholder="my-events"
          spellcheck={false}
        />
        <TextField label="Region" value={draft.region} onInput={(region) => set({ region })} spellcheck={false} />
      </div>
      <TextField
        label="Endpoint"
        type="url"
        value={draft.endpoint}
        onInput={(endpoint) => set({ endpoint })}
        placeholder="Amazon's"
        hint="Of another store, such as https://minio.example.org."
      />
      <div class="row">
        <TextField
          label="Access key ID"
          value={draft.accessKeyId}
          onInput={(accessKeyId) => set({ accessKeyId })}
          placeholder={stored}
          autocomplete="off"
          spellcheck={false}
        />
        <TextField
          label="Secret access key"
          type="password"
          value={draft.secretAccessKey}
          onInput={(secretAccessKey) => set({ secretAccessKey })}
          placeholder={stored}
          autocomplete="new-password"
        />
      </div>
      <p class="muted small">{hasKeys ? 'Empty: the keys that are stored. ' : ''}Keys are kept encrypted.</p>
      <Checkbox
        label="The bucket is part of the host name (virtual-hosted style)"
        checked={draft.isVirtualStyle}
        onChange={(isVirtualStyle) => set({ isVirtualStyle })}
      />
    </>
  );
}
