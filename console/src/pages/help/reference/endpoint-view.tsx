import type { ComponentChildren } from 'preact';
import { Code } from '../../../components/code.tsx';
import { publicUrl } from '../../../lib/public-url.ts';
import { curlOf } from './curl.ts';
import { type Endpoint, schemaOf } from './openapi.ts';
import { Described, FieldLine, Fields } from './schema-view.tsx';

interface EndpointViewProps {
  endpoint: Endpoint;
  isOpen: boolean;
  onToggle(): void;
}

/** One line that opens: what it takes, a command that calls it, what it answers. */
export function EndpointView({ endpoint, isOpen, onToggle }: EndpointViewProps) {
  return (
    <li class="endpoint">
      <button type="button" aria-expanded={isOpen} onClick={onToggle}>
        <b class={`method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</b>
        <code>{endpoint.path}</code>
        <span class="muted">{endpoint.summary}</span>
      </button>
      {isOpen && <Details endpoint={endpoint} />}
    </li>
  );
}

function Details({ endpoint }: { endpoint: Endpoint }) {
  const body = schemaOf(endpoint.requestBody);
  return (
    <div class="stack endpoint-details">
      {endpoint.description && (
        <p>
          <Described text={endpoint.description} />
        </p>
      )}
      <Parameters endpoint={endpoint} where="path" title="Path" />
      <Parameters endpoint={endpoint} where="query" title="Query" />
      {body && (
        <Part title="Body">
          <Fields schema={body} />
        </Part>
      )}
      <Part title="Example">
        <Code text={curlOf(endpoint, publicUrl())} label={`Example of ${endpoint.id}`} />
      </Part>
      {Object.entries(endpoint.responses ?? {}).map(([status, answer]) => {
        const schema = schemaOf(answer);
        return (
          <Part key={status} title={`Answer ${status}`}>
            {schema ? <Fields schema={schema} /> : <p class="muted">No content</p>}
          </Part>
        );
      })}
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="stack-s" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

function Parameters({ endpoint, where, title }: { endpoint: Endpoint; where: string; title: string }) {
  const parameters = (endpoint.parameters ?? []).filter((one) => one.in === where);
  if (parameters.length === 0) return null;
  return (
    <Part title={title}>
      <ul class="api-fields">
        {parameters.map(({ name, schema = {}, required = false, description }) => (
          <FieldLine key={name} name={name} schema={schema} isRequired={required} description={description} />
        ))}
      </ul>
    </Part>
  );
}
