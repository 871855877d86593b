"""``agdn report``: finished runs become one page that needs nothing but a browser."""
