import { createContext, type ReactNode, useContext } from "react";
import { ButtonLink, type ButtonLinkProps } from "./Button";

// The wrapper is always there: without it, what is typed before the status is known would be lost with its element.
const SHOWN = { display: "contents" } as const;
const ROOM_ONLY = { ...SHOWN, visibility: "hidden" } as const;

const Archived = createContext<boolean | null>(false);

/**
 * Wraps a project's pages; `value`: the project is archived (null: not known yet). A note above each page then says why
 * nothing can be started.
 */
export const ArchivedProject = Archived.Provider;

/** Is the current project known to be archived? It can then be read, but nothing can be started in it. */
export function useIsArchived(): boolean {
  return useContext(Archived) === true;
}

/**
 * Wraps controls that start or change something: hidden in an archived project, where the server refuses them. Until
 * the status is known, they only take up their room, so that nothing moves when they appear.
 */
export function WhileActive({ children }: { children: ReactNode }) {
  const archived = useContext(Archived);
  if (archived) return null;
  const known = archived === false;
  return (
    <span style={known ? SHOWN : ROOM_ONLY} inert={!known}>
      {children}
    </span>
  );
}

/** A link that starts something new, such as a round or an import. */
export function StartLink(props: ButtonLinkProps) {
  return (
    <WhileActive>
      <ButtonLink {...props} />
    </WhileActive>
  );
}
