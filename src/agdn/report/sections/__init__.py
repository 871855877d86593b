"""The parts of the page, each a function from the report to its HTML, or None where there is nothing to show."""
