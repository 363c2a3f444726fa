import { idBeside } from "./formatWords";

/** A format's title and, in small print, its id in files, commands and the docs. */
export function FormatTitle({ title, id }: { title: string | undefined; id: string }) {
  const small = title === undefined ? "" : idBeside(title, id);
  return (
    <>
      {title ?? id}
      {small && (
        <>
          {" "}
          <small style={{ color: "var(--quiet)" }}>{small}</small>
        </>
      )}
    </>
  );
}
