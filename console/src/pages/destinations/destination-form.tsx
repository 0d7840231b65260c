import { Button } from '../../components/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../components/field.tsx';
import { type DestinationDraft, type HeaderDraft, type HttpMethod, METHODS } from './destination-draft.ts';

interface FormProps {
  draft: DestinationDraft;
  onChange(draft: DestinationDraft): void;
}

const EXAMPLE_BODY = `{
  "order": "{event.properties.order_id}",
  "text": "{person.properties.email} paid {event.properties.amount}"
}`;

/** Where events go, and as what. */
export function RequestFields({ draft, onChange }: FormProps) {
  const set = (changes: Partial<DestinationDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <TextField label="Name" value={draft.name} onInput={(name) => set({ name })} placeholder="Orders to the CRM" />
      <TextField label="Description" value={draft.description} onInput={(description) => set({ description })} />
      <div class="request-line">
        <Select<HttpMethod>
          label="Method"
          value={draft.method}
          options={METHODS}
          onChange={(method) => set({ method })}
        />
        <TextField
          label="Address"
          type="url"
          value={draft.url}
          onInput={(url) => set({ url })}
          placeholder="https://hooks.example.org/orders"
          spellcheck={false}
        />
      </div>
      <HeaderFields headers={draft.headers} onChange={(headers) => set({ headers })} />
      <TextArea
        label="Body"
        isCode
        rows={7}
        value={draft.body}
        onInput={(body) => set({ body })}
        placeholder={EXAMPLE_BODY}
        hint={
          <>
            JSON in which <code>{'{event.…}'}</code>, <code>{'{person.…}'}</code> and <code>{'{project.…}'}</code> are
            filled in. Empty: all of the event, its person and its project.
          </>
        }
      />
      <Checkbox
        label="Send up to 100 events in one request when several wait"
        checked={draft.batch}
        onChange={(batch) => set({ batch })}
      />
    </>
  );
}

function HeaderFields({
  headers,
  onChange,
}: {
  headers: readonly HeaderDraft[];
  onChange(headers: readonly HeaderDraft[]): void;
}) {
  const put = (at: number, header: HeaderDraft | null): void =>
    onChange(header === null ? headers.toSpliced(at, 1) : headers.with(at, header));
  return (
    <fieldset class="plain stack-s">
      <legend class="label">Headers</legend>
      {headers.map((header, at) => (
        <div class="header-line" key={at}>
          <TextField
            label={`Name of header ${at + 1}`}
            hideLabel
            value={header.name}
            onInput={(name) => put(at, { ...header, name })}
            placeholder="Authorization"
            spellcheck={false}
          />
          <TextField
            label={`Value of header ${at + 1}`}
            hideLabel
            value={header.value}
            onInput={(value) => put(at, { ...header, value })}
            placeholder="Bearer …"
            autocomplete="off"
            spellcheck={false}
          />
          <Button kind="quiet" small aria-label={`Remove header ${at + 1}`} onClick={() => put(at, null)}>
            Remove
          </Button>
        </div>
      ))}
      <div class="row">
        <Button small onClick={() => onChange([...headers, { name: '', value: '' }])}>
          Add header
        </Button>
        <span class="muted small">Values are kept encrypted and shown as ******.</span>
      </div>
    </fieldset>
  );
}

/** Of events that are alike, only some are sent. */
export function MaskingFields({ draft, onChange }: FormProps) {
  const set = (changes: Partial<DestinationDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <Checkbox
        label="Send only some of the events that are alike"
        checked={draft.isMasked}
        onChange={(isMasked) => set({ isMasked })}
      />
      {draft.isMasked && (
        <>
          <TextField
            label="Alike are events with the same"
            value={draft.maskHash}
            onInput={(maskHash) => set({ maskHash })}
            placeholder="{person.id}"
            spellcheck={false}
          />
          <div class="row">
            <TextField
              label="Within minutes"
              type="number"
              min={1}
              max={1440}
              value={draft.maskMinutes}
              onInput={(maskMinutes) => set({ maskMinutes })}
            />
            <TextField
              label="Then each"
              type="number"
              min={2}
              value={draft.maskThreshold}
              onInput={(maskThreshold) => set({ maskThreshold })}
              placeholder="None"
            />
          </div>
          <p class="muted small">The first is sent. With 10 in the second field, so is every tenth after it.</p>
        </>
      )}
    </>
  );
}
