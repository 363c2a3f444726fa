/**
 * For what has an id of its own and is asked for by a page of a project: the server looks for it in that project alone.
 * By its id, which anybody may type, it would stand under the name of whatever project the address says.
 */
export function hereOnly(): Record<string, string> {
  const slug = /^\/projects\/([^/]+)/.exec(window.location.pathname)?.[1];
  return slug === undefined ? {} : { "X-Stepmark-Project": slug };
}
