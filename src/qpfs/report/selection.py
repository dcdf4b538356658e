"""A selection as plain data: what the command prints and writes."""

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.data.table import Problem

SCHEMA = "qpfs-selection/1"
CERTIFICATE = ("theta", "theta_standard_error", "objective", "gap", "status", "n_columns")


def selection_record(selector: Any, problem: Problem, method: str, top: int | None) -> dict[str, Any]:
    """Everything the command says about a selection; the ranked features down to `top`."""
    chosen = selector.order_[selector.support_[selector.order_]] if top is None else selector.order_[:top]
    names = problem.features.column_names
    return {
        "schema": SCHEMA,
        "data": {
            "source": problem.name,
            "target": problem.target_name,
            "n_samples": problem.features.num_rows,
            "n_features": problem.features.num_columns,
        },
        "method": method,
        "parameters": {key: plain(value) for key, value in selector.get_params(deep=False).items()},
        "certificate": {
            key: plain(getattr(selector, f"{key}_")) for key in CERTIFICATE if hasattr(selector, f"{key}_")
        },
        "n_weighted": int((selector.scores_ > 0).sum()),
        "features": [
            {
                "rank": rank,
                "feature": names[index],
                "index": int(index),
                "weight": float(selector.scores_[index]),
                "relevance": float(selector.relevance_[index]),
            }
            for rank, index in enumerate(chosen, start=1)
        ],
    }


def plain(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)


def as_json(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(record: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["rank", "feature", "index", "weight", "relevance"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(record["features"])
    return text.getvalue()


def check_free(folder: Path, *, force: bool) -> None:
    """Raises FileExistsError if the folder is no folder, or a selection is there that may not be replaced."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; --out must name a folder.")
    for name in FILES:
        if (folder / name).exists() and not force:
            raise FileExistsError(
                f"{folder / name} exists; choose another --out, or overwrite it with --force."
            )


def write_selection(record: dict[str, Any], folder: Path) -> list[Path]:
    """Writes the selection into a folder: all of its files or none."""
    texts = {name: text(record) for name, text in FILES.items()}
    folder.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".qpfs-", dir=folder))
    try:
        for name, text in texts.items():
            (staging / name).write_text(text, encoding="utf-8")
        for name in texts:
            (staging / name).replace(folder / name)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return [folder / name for name in texts]


FILES = {"selection.csv": as_csv, "selection.json": as_json}
