import { insightPath } from '../../api/insights.ts';
import { withQuery } from '../../api/request.ts';
import { Code } from '../../components/code.tsx';
import { publicUrl } from '../../lib/public-url.ts';
import { useProject } from '../../lib/session.ts';
import { curlFor } from './curl.ts';
import type { Fields } from './question.ts';
import { toSearch } from './read-question.ts';

/** The same question for programs: its body, the command that asks it, and the answer as a table. */
export function RequestView({ fields, name }: { fields: Fields; name: string }) {
  const { id } = useProject();
  const path = insightPath(id, fields);
  const csv = `${withQuery(path, { format: 'csv', export_name: name })}&${toSearch(fields)}`;
  return (
    <details class="request">
      <summary>As JSON, curl or CSV</summary>
      <div class="stack">
        <p class="soft">
          <a href={csv} download>
            Download the numbers as CSV
          </a>
          , or ask for them with a personal API key:
        </p>
        <Code label="curl" text={curlFor(publicUrl() + path, fields)} />
        <Code label="The question as JSON" text={JSON.stringify(fields, null, 2)} />
      </div>
    </details>
  );
}
