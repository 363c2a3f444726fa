import "katex/dist/katex.min.css";
import { useEffect, useState } from "react";
import classes from "./Markdown.module.css";
import { SkeletonLines } from "./states";

/** Markdown of the project (guidelines), without raw HTML. The parser is loaded when the first text is shown. */
export function Markdown({ source }: { source: string }) {
  const [html, setHtml] = useState<string | null>(null);
  const [unparsed, setUnparsed] = useState(false);
  useEffect(() => {
    let wanted = true;
    import("./markdownToHtml")
      .then(({ markdownToHtml }) => wanted && setHtml(markdownToHtml(source)))
      .catch(() => wanted && setUnparsed(true)); // Offline: the text matters more than its layout.
    return () => {
      wanted = false;
    };
  }, [source]);
  if (unparsed) return <pre className={classes.plain}>{source}</pre>;
  if (html === null) return <SkeletonLines lines={5} label="Loading the text" />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: markdown-it with html: false; raw HTML in the source is escaped
  return <div className={classes.markdown} dangerouslySetInnerHTML={{ __html: html }} />;
}
