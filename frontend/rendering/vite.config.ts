import { fileURLToPath } from "node:url";
import { mergeConfig } from "vite";
import page from "../vite.config";

/** The page that `python -m bench.rendering` opens: the desk's own components, with nothing else around them. */
export default mergeConfig(page, {
  root: fileURLToPath(new URL(".", import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL("../../var/rendering", import.meta.url)),
    emptyOutDir: true,
    minify: false,
  },
});
