import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

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

const server = process.env.STEPMARK_DEV_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [katexWoff2Only(), react()],
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
  build: {
    outDir: "dist",
    target: "es2023",
    manifest: true,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/ },
            { name: "katex", test: /node_modules[\\/]katex[\\/]/ },
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
  },
});
