/** The id of a format where its title does not tell it already: `neutral` of "Traces", nothing of "PRM800K". */
export function idBeside(title: string, id: string): string {
  return title.toLowerCase() === id ? "" : id;
}
