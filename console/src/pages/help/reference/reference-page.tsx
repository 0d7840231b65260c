import './reference.css';
import { useMemo } from 'preact/hooks';
import { get } from '../../../api/request.ts';
import { TextField } from '../../../components/field.tsx';
import { PageFrame } from '../../../components/page.tsx';
import { Empty, Loaded } from '../../../components/states.tsx';
import { useQueryState } from '../../../lib/use-query-state.ts';
import { useResource } from '../../../lib/use-resource.ts';
import { HelpFrame } from '../help-frame.tsx';
import { EndpointView } from './endpoint-view.tsx';
import { type ApiDocument, type Endpoint, endpointsOf, searchEndpoints } from './openapi.ts';
import { Described } from './schema-view.tsx';

const sentence = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1);
const anchorOf = (tag: string): string => tag.replaceAll(' ', '-');

export function Page() {
  const document = useResource((signal) => get<ApiDocument>('/api/schema/', undefined, signal), []);
  const [search, setSearch] = useQueryState('search');
  const [open, setOpen] = useQueryState('open');
  const endpoints = useMemo(() => (document.data ? endpointsOf(document.data) : []), [document.data]);
  const found = searchEndpoints(endpoints, search);
  const tags = [...new Set(found.map(tagOf))];
  return (
    <HelpFrame contents={<Contents tags={tags} />}>
      <PageFrame title="API reference" lead={<Described text={document.data?.info.description ?? ''} />}>
        <div class="row-end">
          <TextField
            label="Search"
            type="search"
            placeholder="feature flags, POST, persons"
            value={search}
            onInput={setSearch}
          />
          <a href="/api/schema/" download="openapi.json">
            OpenAPI document
          </a>
        </div>
        <Loaded resource={document}>
          {() =>
            found.length === 0 ? (
              <Empty title="No matching endpoints">Search for a word of a path, such as persons.</Empty>
            ) : (
              tags.map((tag) => (
                <section key={tag} class="stack-s" aria-labelledby={anchorOf(tag)}>
                  <h2 id={anchorOf(tag)}>{sentence(tag)}</h2>
                  <ul class="endpoints">
                    {found
                      .filter((endpoint) => tagOf(endpoint) === tag)
                      .map((endpoint) => (
                        <EndpointView
                          key={endpoint.id}
                          endpoint={endpoint}
                          isOpen={open === endpoint.id}
                          onToggle={() => setOpen(open === endpoint.id ? '' : endpoint.id)}
                        />
                      ))}
                  </ul>
                </section>
              ))
            )
          }
        </Loaded>
      </PageFrame>
    </HelpFrame>
  );
}

const tagOf = ({ tags }: Endpoint): string => tags?.[0] ?? 'other';

const Contents = ({ tags }: { tags: readonly string[] }) => (
  <>
    {tags.map((tag) => (
      <a key={tag} class="sub" href={`#${anchorOf(tag)}`}>
        {sentence(tag)}
      </a>
    ))}
  </>
);
