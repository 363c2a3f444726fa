import { expect, test } from "vitest";
import type { PrmConnections, PrmFamily } from "@/api/roundTypes";
import { chosen, EMPTY, places, request } from "./connectForm";

const family = (name: PrmFamily["name"], more: Partial<PrmFamily> = {}): PrmFamily => ({
  name,
  title: name,
  means: "",
  place: "folder",
  aggregation: "product",
  by_authors: true,
  aggregations: ["product", "min"],
  neutral: false,
  separator: false,
  reference: false,
  ...more,
});
const CONNECTIONS: PrmConnections = {
  workers: 1,
  families: [
    family("qwen_prm"),
    family("implicit", { aggregation: "min", aggregations: ["min", "last"], reference: true }),
    family("pooling_server", { place: "server" }),
  ],
  folders: [
    { folder: "Qwen/PRM-7B", architecture: "Qwen2", family: "qwen_prm", labels: null, weights: "safetensors" },
    { folder: "plain", architecture: "Llama", family: "", labels: null, weights: "pickled" },
  ],
  servers: [{ name: "vllm", family: "pooling_server", models: ["org/prm"] }],
};

test("a folder that is recognised brings its family, its authors' rule and a name", () => {
  const form = { ...EMPTY, place: "folder:Qwen/PRM-7B" };
  expect(request(form, CONNECTIONS)).toMatchObject({
    folder: "Qwen/PRM-7B",
    family: "qwen_prm",
    aggregation: "product",
    name: "PRM-7B",
    server: "",
  });
});

test("nothing is sent while the family or the reference is missing", () => {
  expect(request(EMPTY, CONNECTIONS)).toBeNull();
  const plain = { ...EMPTY, place: "folder:plain" };
  expect(request(plain, CONNECTIONS)).toBeNull();
  const implicit = { ...plain, family: "implicit" as const, aggregation: "product" as const };
  expect(request(implicit, CONNECTIONS)).toBeNull();
  expect(request({ ...implicit, reference: "Qwen/PRM-7B" }, CONNECTIONS)?.aggregation).toBe("min");
});

test("a server's family is the operator's, whatever was chosen before", () => {
  const form = { ...EMPTY, place: "server:vllm:org/prm", family: "qwen_prm" as const };
  expect(chosen(form, CONNECTIONS).family?.name).toBe("pooling_server");
  expect(request(form, CONNECTIONS)).toMatchObject({ server: "vllm", model: "org/prm", folder: "", name: "prm" });
});

test("what cannot be read as it lies there says so", () => {
  expect(places(CONNECTIONS).find((one) => one.name === "plain")?.means).toMatch(/Not recognised.*pickled/);
});
