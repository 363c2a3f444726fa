"""Run with Helm's own library in the path: reads values from standard input, prints what the chart makes of them."""

import json
import sys
from typing import Any

import helm_python
import kubernetes_validate
import yaml

KUBERNETES = "1.33"


def rendered(chart: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the manifests and the faults found by Kubernetes' schemas, or why there are no manifests."""
    try:
        chart.validate_schema(values)
        files = chart.render(values, name="stepmark", namespace="prod")
    except helm_python.HelmError as refused:
        return {"refused": str(refused)}
    texts = [text for name, text in sorted(files.items()) if name.endswith(".yaml")]
    manifests = [one for text in texts for one in yaml.safe_load_all(text) if one]
    return {"manifests": manifests, "faults": [fault for one in manifests for fault in faults_of(one)]}


def faults_of(manifest: dict[str, Any]) -> list[str]:
    """Return a manifest's faults. KEDA's kinds are not Kubernetes' own: there is no schema of them here."""
    if manifest["apiVersion"].startswith("keda.sh/"):
        return []
    try:
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as fault:
        return [f"{manifest['kind']}: {fault.message}"]
    return []


def main(folder: str) -> None:
    """Print one answer for each set of values, and the output of `helm lint`."""
    with helm_python.Chart.load(folder) as chart:
        given = json.load(sys.stdin)
        found = [rendered(chart, values) for values in given]
    json.dump({"lint": helm_python.lint(folder, given[0]), "found": found}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
