import type { Role } from "@/api/types";

export const ROLES: { value: Role; label: string; means: string }[] = [
  { value: "annotator", label: "Annotator", means: "Labels traces and sees their own work." },
  { value: "researcher", label: "Researcher", means: "Also imports, opens rounds, sees every label and exports." },
  { value: "admin", label: "Admin", means: "Also manages people and settings, and releases leases." },
];
