/** Where the audit log is sent, and whether it arrives. */
import { useState } from 'preact/hooks';
import {
  type AuditWebhook,
  getAuditWebhook,
  listAuditDeliveries,
  removeAuditWebhook,
  retryAuditWebhook,
  saveAuditWebhook,
  testAuditWebhook,
} from '../../api/audit.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { deliveryColumns } from '../../components/delivery-columns.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Banner, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { Pager, Table } from '../../components/table.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useOffset } from '../../lib/use-offset.ts';
import { type Resource, useAction, useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;

export function AuditWebhookTab({ organizationId }: { organizationId: string }) {
  const webhook = useResource((signal) => getAuditWebhook(organizationId, signal), [organizationId]);
  /** Shown once: it stays until the page is left. */
  const [secret, setSecret] = useState<string | null>(null);
  const [offset, setOffset] = useOffset();
  const deliveries = useResource(
    (signal) => listAuditDeliveries(organizationId, { limit: PAGE_SIZE, offset }, signal),
    [organizationId, offset],
  );
  const reload = (): void => {
    webhook.reload();
    deliveries.reload();
  };
  return (
    <>
      <Loaded resource={webhook}>
        {(data) => (
          <Setting
            key={data.url}
            organizationId={organizationId}
            webhook={data}
            secret={secret}
            onSecret={setSecret}
            onChange={reload}
          />
        )}
      </Loaded>
      <DeliveryTable deliveries={deliveries} offset={offset} onPage={setOffset} />
    </>
  );
}

interface SettingProps {
  organizationId: string;
  webhook: AuditWebhook;
  secret: string | null;
  onSecret(secret: string | null): void;
  onChange(): void;
}

function Setting({ organizationId, webhook, secret, onSecret, onChange }: SettingProps) {
  const [url, setUrl] = useState(webhook.url ?? '');
  const [isRemoving, setRemoving] = useState(false);
  const save = useAction(async (change: { url?: string; roll_secret?: boolean }) => {
    const saved = await saveAuditWebhook(organizationId, change);
    if (saved.secret !== null) onSecret(saved.secret);
    onChange();
  });
  const run = (work: Promise<unknown>, done: string): void =>
    void work.then(() => toast(done), toastError).then(onChange);
  return (
    <section class="card stack" aria-label="Webhook">
      <p class="muted">
        Every entry is sent to this address as it is made, signed, so that a copy is out of reach of whoever can write
        to this server. See <a href="/help/audit-log">Audit log</a>.
      </p>
      {secret !== null && (
        <Banner tone="warn" action={<CopyButton text={secret} />}>
          Copy the secret now. It is shown only once: <code>{secret}</code>
        </Banner>
      )}
      {webhook.paused !== null && (
        <Banner tone="bad">Nothing is sent: {webhook.paused}. Save the address to try again.</Banner>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run({ url: url.trim() });
        }}
      >
        <TextField
          label="Address"
          type="url"
          placeholder="https://siem.example.org/cairn"
          required
          maxLength={2000}
          value={url}
          onInput={setUrl}
        />
        <div>
          <Button type="submit" kind={webhook.url === null ? 'primary' : 'plain'} busy={save.busy}>
            Save
          </Button>
        </div>
      </form>
      {save.error !== undefined && <ErrorNote error={save.error} />}
      {webhook.url !== null && (
        <>
          <p class="small">
            {webhook.waiting === 0 ? 'Nothing is waiting' : `${webhook.waiting} waiting`}
            {webhook.failed > 0 && `, ${webhook.failed} not delivered`}.
          </p>
          <div class="row">
            <Button onClick={() => run(testAuditWebhook(organizationId), 'A test is on its way.')}>Send test</Button>
            {webhook.failed > 0 && (
              <Button onClick={() => run(retryAuditWebhook(organizationId), 'They are sent again.')}>
                Send undelivered again
              </Button>
            )}
            <Button busy={save.busy} onClick={() => void save.run({ roll_secret: true })}>
              New secret
            </Button>
            <Button kind="quiet" onClick={() => setRemoving(true)}>
              Remove…
            </Button>
          </div>
        </>
      )}
      {isRemoving && (
        <Confirm
          title="Remove the webhook?"
          action="Remove webhook"
          danger
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeAuditWebhook(organizationId);
            onSecret(null);
            onChange();
          }}
        >
          <p>The address gets the entry that says so, and nothing after it.</p>
        </Confirm>
      )}
    </section>
  );
}

interface DeliveryTableProps {
  deliveries: Resource<Awaited<ReturnType<typeof listAuditDeliveries>>>;
  offset: number;
  onPage(offset: number): void;
}

function DeliveryTable({ deliveries, offset, onPage }: DeliveryTableProps) {
  return (
    <Loaded resource={deliveries}>
      {({ count, results }) => (
        <>
          <Table
            label="Deliveries of the last 30 days, newest first"
            columns={deliveryColumns()}
            rows={results}
            rowKey={({ id }) => id}
            empty={
              <Empty title="Nothing was sent yet">
                Every message is listed here for 30 days, with each attempt to deliver it.
              </Empty>
            }
          />
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={onPage} />
        </>
      )}
    </Loaded>
  );
}
