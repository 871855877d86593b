"""scikit-learn's own checks; what cannot hold here is listed with its reason, and docs/estimators.md lists the same."""

import re
from pathlib import Path

from sklearn.utils.estimator_checks import parametrize_with_checks

from agdn import AGDNClassifier, AGDNRegressor

QUICK = {"epochs": 20, "num_layers": 1, "hops": 2, "lr": 0.1, "model_options": {"output": "linear"}}
UNAVOIDABLE = {
    "AGDNClassifier": {
        "check_classifiers_classes": "takes -1 for a class; here, as in sklearn.semi_supervised, it is unlabelled"
    },
    "AGDNRegressor": {},
}


@parametrize_with_checks(
    [AGDNClassifier(**QUICK), AGDNRegressor(**QUICK)],
    expected_failed_checks=lambda estimator: UNAVOIDABLE[type(estimator).__name__],
)
def test_scikit_learn_is_content(estimator, check) -> None:
    check(estimator)


def test_the_page_lists_what_cannot_hold() -> None:
    page = (Path(__file__).parents[2] / "docs" / "estimators.md").read_text()
    assert all(f"`{check}`" in page for checks in UNAVOIDABLE.values() for check in checks)


def test_the_page_runs_as_it_stands() -> None:
    page = (Path(__file__).parents[2] / "docs" / "estimators.md").read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "estimators.md", "exec"), names)
    assert names["search"].best_params_ == {"estimator__hops": 3}
