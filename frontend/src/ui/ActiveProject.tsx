import { createContext, type ReactNode, useContext } from "react";
import { ButtonLink, type ButtonLinkProps } from "./Button";

const Archived = createContext(false);

/** Around a project's pages; `value`: it is archived. Why nothing can be begun then stands above each of them. */
export const ArchivedProject = Archived.Provider;

/** Whether the project in view is archived: it can be read, and nothing in it begun. */
export function useIsArchived(): boolean {
  return useContext(Archived);
}

/** What begins or changes something: not there in an archived project, where the server refuses it. */
export function WhileActive({ children }: { children: ReactNode }) {
  return useIsArchived() ? null : children;
}

/** The way to something new, as a round or an import. */
export function StartLink(props: ButtonLinkProps) {
  return (
    <WhileActive>
      <ButtonLink {...props} />
    </WhileActive>
  );
}
