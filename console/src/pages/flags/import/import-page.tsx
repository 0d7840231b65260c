/** Imports flags of another product: first a look at what would be saved, then the import. */
import './import-page.css';
import { useState } from 'preact/hooks';
import { type FlagImport, type ImportSource, importFlags } from '../../../api/flag-imports.ts';
import { Button } from '../../../components/button.tsx';
import { Link } from '../../../components/link.tsx';
import { PageFrame } from '../../../components/page.tsx';
import { Banner, ErrorNote, Loaded } from '../../../components/states.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { useProject } from '../../../lib/session.ts';
import { useQueryState } from '../../../lib/use-query-state.ts';
import { useAction, useResource } from '../../../lib/use-resource.ts';
import { orAskForApproval } from '../../approvals/or-ask-for-approval.ts';
import { ChooseExport } from './choose-export.tsx';
import { type ExportFile, environmentFor } from './export-file.ts';
import { ImportPlan } from './import-plan.tsx';
import { ImportResults } from './import-results.tsx';
import { choose, type KeptByFlag, optionsFor, type Result } from './percentages.ts';
import { isSource, SOURCES } from './sources.ts';

export function Page() {
  const { id } = useProject();
  const [asked, setSource] = useQueryState('source', 'unleash');
  const source = isSource(asked) ? asked : 'unleash';
  const [chosenEnvironment, setEnvironment] = useQueryState('environment', 'production');
  const [file, setFile] = useState<ExportFile | null>(null);
  const [imported, setImported] = useState<FlagImport | null>(null);
  const environments = file?.environments[source] ?? [];
  const environment = environmentFor(environments, chosenEnvironment);
  return (
    <PageFrame
      title="Import feature flags"
      lead={
        <>
          From another product, or from another PostHog. Nothing is saved before you have seen what changes.{' '}
          <Link to={pathTo('flags', { project: id }) ?? '/'}>All feature flags</Link>
        </>
      }
    >
      {imported === null ? (
        <>
          <ChooseExport
            source={source}
            onSource={setSource}
            environment={environment}
            environments={environments}
            onEnvironment={setEnvironment}
            file={file}
            onFile={setFile}
          />
          {file !== null && (
            <Planned
              // Choices are about the flags of one file.
              key={`${source} ${environment} ${file.name} ${file.text.length}`}
              source={source}
              environment={environment}
              file={file}
              onImported={setImported}
            />
          )}
        </>
      ) : (
        <Imported
          outcome={imported}
          source={source}
          onAgain={() => {
            setFile(null);
            setImported(null);
          }}
        />
      )}
    </PageFrame>
  );
}

interface PlannedProps {
  source: ImportSource;
  environment: string;
  file: ExportFile;
  onImported(outcome: FlagImport): void;
}

function Planned({ source, environment, file, onImported }: PlannedProps) {
  const { id } = useProject();
  const [choices, setChoices] = useState<KeptByFlag>({});
  const [results, setResults] = useState<readonly Result[]>([]);
  const options = { source, environment, ...optionsFor(choices, results) };
  const plan = useResource(
    async (signal) => {
      const planned = await importFlags(id, options, file.text, signal);
      setResults(planned.results);
      return planned;
    },
    [id, file, JSON.stringify(options)],
  );
  const save = useAction(async () => {
    const { confirm } = plan.data ?? {};
    if (confirm === undefined) return;
    await orAskForApproval(id, async () => onImported(await importFlags(id, { ...options, confirm }, file.text)));
  });
  const changes = plan.data?.changes ?? [];
  const canImport = changes.length > 0 && !plan.loading && plan.error === undefined;
  const flags = changes.filter(({ kind }) => kind === 'flag').length;
  return (
    <section class="stack" aria-label="Preview" aria-busy={plan.loading}>
      <Loaded resource={plan}>
        {(planned) => (
          <>
            <ImportPlan plan={planned} source={source} />
            <ImportResults
              plan={planned}
              source={source}
              choices={choices}
              onChoose={(result, kept) => setChoices(choose(choices, planned.results, result, kept))}
            />
            {save.error !== undefined && <ErrorNote error={save.error} onRetry={plan.reload} />}
            <div class="row">
              <Button kind="primary" busy={save.busy} disabled={!canImport} onClick={() => void save.run()}>
                {changes.length === 0 ? 'Nothing to import' : `Import ${pluralize(flags, 'flag')}`}
              </Button>
              {changes.length > 0 && <span class="muted">All of them, or none if something fails.</span>}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

interface ImportedProps {
  outcome: FlagImport;
  source: ImportSource;
  onAgain(): void;
}

function Imported({ outcome, source, onAgain }: ImportedProps) {
  const { id } = useProject();
  const { results, kept } = outcome;
  const count = (action: Result['action']): number => results.filter((one) => one.action === action).length;
  return (
    <section class="stack" aria-label="Result">
      <Banner tone="good">
        {pluralize(count('create'), 'flag')} created, {count('update')} changed.
        {kept.length > 0 &&
          ` ${pluralize(kept.length, 'flag')} ${kept.length === 1 ? 'keeps its' : 'keep their'} people by the hash of ${SOURCES[source].label}. When a rollout is over, rehash the flag on its page.`}
      </Banner>
      <ImportResults plan={outcome} source={source} />
      <div class="row">
        <Link class="button primary" to={pathTo('flags', { project: id }) ?? '/'}>
          All feature flags
        </Link>
        <Button onClick={onAgain}>Import another file</Button>
      </div>
    </section>
  );
}
