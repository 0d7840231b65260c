import type { Answer, CallOptions } from './client.ts';

type Post = (path: string, options?: CallOptions) => Promise<Answer>;

/** Creates a flag with everything a flag can have in the first project, so that all paths below it exist. */
export async function makeFlag({ post }: { post: Post }, roleId: string): Promise<number> {
  const flags = '/api/projects/1/feature_flags/';
  const body = {
    key: 'everything',
    name: 'A flag',
    filters: { groups: [{ properties: [], rollout_percentage: 50 }], payloads: { true: '{"colour":"red"}' } },
    is_remote_configuration: true,
    tags: ['a tag'],
  };
  const { id } = (await post(flags, { body })).body;
  await post(`${flags}${id}/role_access/`, { body: { role_id: roleId } });
  return id;
}
