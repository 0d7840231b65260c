export function Page() {
  return <div />;
}
