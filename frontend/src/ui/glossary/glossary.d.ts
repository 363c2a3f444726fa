/** Both are generated from docs/glossary.md by frontend/glossary.ts. */
declare module "virtual:glossary-names" {
  const names: string[];
  export default names;
}
declare module "virtual:glossary" {
  const meanings: Record<string, string>;
  export default meanings;
}
