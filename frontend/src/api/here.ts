/**
 * Headers for requests by id from a page of a project: the server looks for the object only in that project. Without
 * them, an id that anyone can type would be shown under the project in the address, whichever project it belongs to.
 */
export function hereOnly(): Record<string, string> {
  const slug = /^\/projects\/([^/]+)/.exec(window.location.pathname)?.[1];
  return slug === undefined ? {} : { "X-Stepmark-Project": slug };
}
