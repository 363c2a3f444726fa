import type { ButtonHTMLAttributes, Ref } from "react";
import { Link, type LinkProps } from "react-router";
import classes from "./Button.module.css";

export type ButtonKind = "primary" | "default" | "danger" | "plain";

function className(kind: ButtonKind, extra?: string): string {
  return [classes.button, kind === "default" ? "" : classes[kind], extra].filter(Boolean).join(" ");
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: ButtonKind;
  ref?: Ref<HTMLButtonElement>;
}

/** A plain, light button; Mantine's own is for forms that use Mantine anyway. */
export function Button({ kind = "default", className: extra, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={className(kind, extra)} {...rest} />;
}

export interface ButtonLinkProps extends LinkProps {
  kind?: ButtonKind;
}

export function ButtonLink({ kind = "default", className: extra, ...rest }: ButtonLinkProps) {
  return <Link className={className(kind, extra)} {...rest} />;
}

/** A link to download a file from the server. */
export function DownloadLink({ href, children }: { href: string; children: string }) {
  return (
    <a className={className("default")} href={href} download>
      {children}
    </a>
  );
}
