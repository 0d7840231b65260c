import { getSiteStatus } from '../../api/web.ts';
import { Code } from '../../components/code.tsx';
import { Link } from '../../components/link.tsx';
import { publicUrl } from '../../lib/public-url.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { snippetsFor } from '../onboarding/snippets.ts';

const WAITING_MS = 3000;

/** What to do in a project without page views. Ends by itself with the first one. */
export function SiteSetup({ onFound }: { onFound(): void }) {
  const { id, api_token: key, ingested_event: hasEvents } = useProject();
  const status = useResource((signal) => getSiteStatus(id, signal), [id]);
  useInterval(() => (status.data?.has_data ? onFound() : status.reload()), WAITING_MS);
  const snippet = snippetsFor(publicUrl(), key).find((one) => one.id === 'web');
  const to = (name: string): string => pathTo(name, { project: id }) ?? '/';
  return (
    <div class="stack">
      <section class="card stack-s" aria-label="Setup">
        <h2>Waiting for the first page view</h2>
        <p>Add this to the head of every page of your site. Visitors, pages and sources appear here by themselves.</p>
        {snippet && <Code text={snippet.code} label="Code for the web" />}
        <p class="row">
          <Link to={to('welcome')}>Other platforms and demo data</Link>
        </p>
      </section>
      {hasEvents && (
        <section class="card stack-s" aria-label="Other events">
          <h2>This project receives other events</h2>
          <p>They are not page views, so there is nothing to count here. Look at them, or ask questions about them:</p>
          <p class="row">
            <Link to={to('live')}>Live events</Link>
            <Link to={to('insights')}>Insights</Link>
            <Link to={to('dashboards')}>Dashboards</Link>
          </p>
        </section>
      )}
    </div>
  );
}
