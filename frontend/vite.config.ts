import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { glossary } from "./glossary.ts";

/** Every browser we support reads woff2: the woff and ttf copies KaTeX ships would only weigh the build down. */
function katexWoff2Only(): Plugin {
  return {
    name: "katex-woff2-only",
    enforce: "pre",
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) return null;
      return code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, "");
    },
  };
}

/** What nearly every page shows: it comes with the first one. */
const SHELL = new RegExp(
  [
    "@tanstack",
    String.raw`src[\\/]ui[\\/](BellLink|BottomLine|Button|ColorSchemeToggle|Dialog|Mark|Notice|PageShell|Panel|RelativeTime|StatusMark)\.`,
    String.raw`src[\\/]ui[\\/](format|partOfPage|states|useNow)\.`,
    String.raw`src[\\/]api[\\/](client|preferences|projects|session|unread)\.`,
  ].join("|"),
);
/** What the labeling page needs for its first step, and shares with parts that come later. */
const DESK = new RegExp(
  [
    String.raw`src[\\/]protocol[\\/](?!choose_step)`,
    String.raw`src[\\/]protocol[\\/]choose_step[\\/]rules\.`,
    String.raw`src[\\/]api[\\/](journal|outbox|tabLock|useDesk|watched)\.`,
    String.raw`src[\\/]features[\\/]labeling[\\/](Docks?|Header|InlineForms|LeaseBanner|LineBars|ProblemLine|RatingButtons)\.`,
    String.raw`src[\\/]features[\\/]labeling[\\/](ReasonDialogs|SaveIndicator|ScratchPad|StepRow|TraceLine|attention|copying)\.`,
    String.raw`src[\\/]features[\\/]labeling[\\/](deskClock|dialogParts|draftSaver|layout|ownProgress|pageStyle|queries)\.`,
    String.raw`src[\\/]features[\\/]labeling[\\/](searching|spell|splitting|stepsInSight|submission|symbolTrace)\.`,
    String.raw`src[\\/]features[\\/]labeling[\\/](useChanges|useRestNews|useSymbolTrace)\.`,
    String.raw`src[\\/]ui[\\/]trace[\\/](excerpt|pathWords)\.`,
  ].join("|"),
);

const sheets = new Map<string, string>();

/** A class by its stylesheet and its own name: Vite's own names hold the line, too, which no packing makes small. */
function className(name: string, file: string): string {
  const sheet = basename(file).split(".")[0] ?? "";
  const other = sheets.get(sheet) ?? file;
  if (other !== file) throw new Error(`${file} and ${other} have the same name, and so would their classes.`);
  sheets.set(sheet, file);
  return `${sheet}-${name}`;
}

const server = process.env.STEPMARK_DEV_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [katexWoff2Only(), glossary(), react()],
  resolve: {
    alias: {
      "@cases": fileURLToPath(new URL("../labeling/tests", import.meta.url)),
      "@": fileURLToPath(new URL("./src", import.meta.url)),
    },
  },
  server: {
    host: "127.0.0.1",
    fs: { allow: [".", "../docs", "../labeling/tests"] }, // what tests read beside the page's own files
    proxy: Object.fromEntries(
      ["/api", "/admin", "/static", "/healthz", "/readyz"].map((path) => [path, { target: server }]),
    ),
  },
  css: { modules: { generateScopedName: className } },
  build: {
    outDir: "dist",
    target: "es2023",
    manifest: true,
    modulePreload: { polyfill: false }, // a browser without it loads the same files, a moment later
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/ },
            { name: "katex", test: /node_modules[\\/]katex[\\/]/ },
            // Left alone these are forty files of a kilobyte, each with as much of HTTP's heads around it.
            { name: "shell", test: SHELL },
            { name: "desk", test: DESK },
          ],
        },
      },
    },
  },
  test: {
    environment: "jsdom",
    isolate: false, // a new jsdom for each file took nine tenths of the time; no test leaves anything behind
    setupFiles: ["src/testSetup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    testTimeout: 30_000, // a whole form takes five seconds on a slow machine that does something else, too
  },
});
