"""What can go wrong with a training run, in a sentence that says what to change."""


class TrainingError(ValueError):
    """The run cannot go on as it was asked for."""


class CheckpointError(TrainingError):
    """A checkpoint folder holds nothing that this run can go on from."""


class ResumeWarning(UserWarning):
    """The run goes on, but not bit for bit as it would have; the message says why."""


class LostRank(RuntimeError):
    """Another process of the same run is gone, stuck or out of reach; the message names it. The run can be resumed."""
