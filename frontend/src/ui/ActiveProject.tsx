import { createContext, type ReactNode, useContext } from "react";
import { ButtonLink, type ButtonLinkProps } from "./Button";

const Archived = createContext(false);

/**
 * Wraps a project's pages; `value`: the project is archived. A note above each page then says why nothing can be
 * started.
 */
export const ArchivedProject = Archived.Provider;

/** Is the current project archived? It can then be read, but nothing can be started in it. */
export function useIsArchived(): boolean {
  return useContext(Archived);
}

/** Wraps controls that start or change something: hidden in an archived project, where the server refuses them. */
export function WhileActive({ children }: { children: ReactNode }) {
  return useIsArchived() ? null : children;
}

/** A link that starts something new, such as a round or an import. */
export function StartLink(props: ButtonLinkProps) {
  return (
    <WhileActive>
      <ButtonLink {...props} />
    </WhileActive>
  );
}
