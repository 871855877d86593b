"""Every choice that an import takes, checked by name and type."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError

from agdn.data.errors import DataError
from agdn.data.tables.cells import MISSING
from agdn.data.tables.target import Task


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]


class ImportOptions(BaseModel):
    """How two tables become a dataset.

    Attributes:
        target: Column or columns to predict; none is link prediction.
        task: What the target is, where its cells leave it open.
        separator: Splits one target column into tags.
        numeric, date, categorical, text, ranked, ignore: Columns whose role is told, not inferred.
        vocabulary: The rows whose categories and words are learnt; numbers are scaled on training rows always.
        split_by: How fractions are drawn: ``stratified`` for a class target, else ``random``, unless told.
        time_column: In the nodes table, or without a target in the edges table.
        directed: Keep edges as they stand; otherwise each also runs backwards, and repeated ones are merged.
        edge_features: Columns of the edges table that become edge attributes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str | None = None
    target: Names = ()
    task: Task | None = None
    separator: Annotated[str, Field(min_length=1)] | None = None
    metric: str | None = None
    id_column: str | None = None
    numeric: Names = ()
    date: Names = ()
    categorical: Names = ()
    text: Names = ()
    ranked: Names = ()
    ignore: Names = ()
    missing: Names = MISSING
    one_hot_limit: NonNegativeInt = 64
    hash_width: PositiveInt = 64
    text_width: PositiveInt = 128
    vocabulary: Literal["all", "train"] = "all"
    split_column: str | None = None
    fractions: tuple[float, float, float] = (0.6, 0.2, 0.2)
    split_by: Literal["random", "stratified", "time"] | None = None
    time_column: str | None = None
    seed: NonNegativeInt = 0
    source_column: str | None = None
    destination_column: str | None = None
    directed: bool = False
    weight_column: str | None = None
    edge_features: Names = ()

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Options by name; what does not fit is one sentence that says what would."""
        try:
            chosen = cls(**{name: value for name, value in options.items() if value is not None})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            if first["type"] == "extra_forbidden":
                raise DataError(f"there is no option {name!r}; the options are {', '.join(cls.model_fields)}") from None
            raise DataError(f"option {name!r}: {first['msg']}, got {first['input']!r}") from None
        chosen._check_split()
        return chosen

    def _check_split(self) -> None:
        if min(self.fractions) < 0 or not 0.999 < sum(self.fractions) < 1.001:
            raise DataError(f"fractions must be three shares (train, valid, test) that sum to 1, got {self.fractions}")
        if self.split_by == "time" and self.time_column is None:
            raise DataError("a split by time needs time_column, the column that holds the times")
        if self.split_column is not None and self.split_by is not None:
            raise DataError("give split_column or split_by, not both")
        if self.split_column is not None and not self.target:
            raise DataError("split_column splits nodes; link prediction splits edges by chance or by time_column")
