"""Plain values as SVG."""
