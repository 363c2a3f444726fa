import { createContext, useContext } from "react";
import { ButtonLink, type ButtonLinkProps } from "./Button";

const Archived = createContext(false);

/** Around a project's pages; `value`: it is archived. Why nothing can be begun then stands above each of them. */
export const ArchivedProject = Archived.Provider;

/** Whether the project in view is archived: it can be read, and nothing in it begun. */
export function useIsArchived(): boolean {
  return useContext(Archived);
}

/** The way to something new, as a round or an import: not there in an archived project, where the server refuses it. */
export function StartLink(props: ButtonLinkProps) {
  return useIsArchived() ? null : <ButtonLink {...props} />;
}
