"""What is explained as a page: in a file of its own, and in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqloom.storage import write_output
from seqloom.views.document import frame


class ShownAsPage:
    """A mixin of explanations, walkthroughs and experiments."""

    def save(self: Any, path: str | Path) -> Path:
        """Write it as one self-contained page (.html)."""
        from seqloom.explaining.page import page  # here: it knows all that is shown as a page

        return write_output(path, page(self).encode(), "page.html")

    def _repr_html_(self: Any) -> str:
        from seqloom.explaining.page import page

        return frame(page(self))
