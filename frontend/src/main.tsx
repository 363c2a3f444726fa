import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ui/fonts.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./ui/theme.css";
import { App } from "./app/App";
import { whenIdle } from "./ui/partOfPage";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
// Until it is there, and where it does not come, a copy is what the browser makes of it.
whenIdle(
  () =>
    void import("./ui/math/copyText").then(
      (there) => there.copyFormulasAsTex(),
      () => undefined,
    ),
);
