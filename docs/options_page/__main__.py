"""Write the page: ``cd docs && python -m options_page``."""

from pathlib import Path

from options_page.page import page

Path(__file__).parents[1].joinpath("options.md").write_text(page(), encoding="utf-8")
