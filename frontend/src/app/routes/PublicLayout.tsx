import "@mantine/core/styles.layer.css";
import { Outlet } from "react-router";
import { ColorSchemeToggle } from "@/ui/ColorSchemeToggle";
import classes from "./PublicLayout.module.css";

/** The layout for pages without a login: the name of the product and one card. */
export function PublicLayout() {
  return (
    <div className={classes.page}>
      <header className={classes.top}>
        <span className={classes.brand}>Stepmark</span>
        <ColorSchemeToggle />
      </header>
      <main className={classes.card}>
        <Outlet />
      </main>
    </div>
  );
}
