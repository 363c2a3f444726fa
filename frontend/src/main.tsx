import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ui/fonts.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./ui/theme.css";
import { App } from "./app/App";
import { copyFormulasAsTex } from "./ui/math/copyText";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root.");
copyFormulasAsTex();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
