"""From run folders to plain values: nothing in here knows what a page looks like."""
