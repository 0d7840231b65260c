import { insightCsvPath, insightPath } from '../../api/insights.ts';
import { Code } from '../../components/code.tsx';
import { publicUrl } from '../../lib/public-url.ts';
import { useProject } from '../../lib/session.ts';
import { curlFor } from './curl.ts';
import type { Fields } from './question.ts';
import { toSearch } from './read-question.ts';

/** The same query through the API, and as CSV. */
export function RequestView({ fields, name }: { fields: Fields; name: string }) {
  const { id } = useProject();
  const path = insightPath(id, fields);
  const csv = insightCsvPath(id, fields, name, toSearch(fields));
  return (
    <details class="request">
      <summary>Export CSV and API request</summary>
      <div class="stack">
        <p class="muted">
          <a href={csv} download>
            Export CSV
          </a>
          , or run the query through the API with a personal API key:
        </p>
        <Code label="curl" text={curlFor(publicUrl() + path, fields)} />
        <Code label="Query as JSON" text={JSON.stringify(fields, null, 2)} />
      </div>
    </details>
  );
}
