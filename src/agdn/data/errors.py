"""The one error of this room: what a user's file or option got wrong, in a sentence."""


class DataError(ValueError):
    """Names the file, row, key or option at fault and what would be right."""
