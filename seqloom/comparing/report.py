"""The folder of a report: the page, the numbers, a table for LaTeX, and the pictures."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from seqloom.comparing.charts import charts
from seqloom.comparing.latex_table import latex_table
from seqloom.comparing.page import report_page
from seqloom.comparing.plots import write_plots
from seqloom.comparing.results import Findings
from seqloom.explaining.page import finite
from seqloom.storage import replace_file

PAGE, RESULTS, TABLE, PLOTS = "report.html", "results.json", "table.tex", "plots"


def write_report(found: Findings, out: Path) -> Path:
    """Write all of it; pictures only where matplotlib is (the extra `plot`). Returns the page."""
    drawn = charts(found)
    results = json.dumps(finite(found.json()), ensure_ascii=False, indent=1)
    replace_file(out / RESULTS, results.encode())
    replace_file(out / TABLE, latex_table(found).encode())
    if find_spec("matplotlib") is not None:
        write_plots(drawn, out / PLOTS)
    replace_file(out / PAGE, report_page(found, drawn).encode())
    return out / PAGE
