/** The id of a format if its title does not already show it: `neutral` for "Traces", empty for "PRM800K". */
export function idBeside(title: string, id: string): string {
  return title.toLowerCase() === id ? "" : id;
}
