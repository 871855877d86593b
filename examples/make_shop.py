"""Two tables as a shop might have them: customers, and payments between them. Which segment is a customer in?

    python examples/make_shop.py tables                      # tables/customers.csv and tables/transactions.csv
    python examples/make_shop.py tables --errors empty-id    # the same with a mistake that people make
    python examples/make_shop.py tables --errors             # with all of them

Most payments stay within a segment. Some labels, ages and notes are missing.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

AGES = {"business": 42, "family": 38, "pensioner": 71, "student": 23}
SEGMENTS = tuple(AGES)
CITIES = {
    "business": ("Bern", "Basel"),
    "family": ("Thun", "Bern"),
    "pensioner": ("Thun", "Chur"),
    "student": ("Basel", "Chur"),
}
WORDS = {
    "business": ("invoice", "office", "delivery", "supplies", "monthly"),
    "family": ("toys", "groceries", "school", "weekend", "delivery"),
    "pensioner": ("garden", "pharmacy", "weekend", "newspaper", "flowers"),
    "student": ("books", "bicycle", "groceries", "snacks", "monthly"),
}
CUSTOMER = ("customer", "name", "age", "city", "joined", "visits", "note", "segment")
TRANSACTION = ("payer", "payee", "amount", "day")
Rows = list[list[str]]


def customers(segments: list[str], draw: random.Random) -> Rows:
    rows = []
    for number, segment in enumerate(segments):
        shown = segment if draw.random() < 0.6 else draw.choice(SEGMENTS)  # columns alone tell less than the payments
        age = f"{max(16, draw.gauss(AGES[shown], 12)):.0f}" if draw.random() < 0.9 else ""
        note = f"asks for {' and '.join(draw.sample(WORDS[shown], 2))} by phone" if draw.random() < 0.8 else ""
        city, visits = draw.choice(CITIES[shown]), str(draw.randrange(60))
        label = segment if draw.random() < 0.85 else ""
        rows.append([_id(number), f"Customer {number}", age, city, _day(2021, 1800, draw), visits, note, label])
    return rows


def transactions(segments: list[str], each: int, draw: random.Random) -> Rows:
    members = {name: [i for i, segment in enumerate(segments) if segment == name] for name in SEGMENTS}
    rows = []
    for payer, segment in enumerate(segments):
        for _ in range(each):
            payee = draw.choice(members[segment]) if draw.random() < 0.7 else draw.randrange(len(segments))
            rows.append([_id(payer), _id(payee), f"{draw.lognormvariate(3, 1):.2f}", _day(2025, 365, draw)])
    return rows


ERRORS: dict[str, Callable[[Rows, Rows], object]] = {
    "repeated-id": lambda people, _: people[8].__setitem__(0, people[3][0]),
    "empty-id": lambda people, _: people[10].__setitem__(0, ""),
    "word-in-numbers": lambda people, _: people[12].__setitem__(2, "forty"),
    "infinite-number": lambda people, _: people[14].__setitem__(5, "inf"),
    "cell-too-many": lambda people, _: people[16].append("spilt over"),
    "label-once": lambda people, _: people[18].__setitem__(7, "studnet"),
    "unknown-customer": lambda _, payments: payments[20].__setitem__(1, "C-99999"),
    "empty-end": lambda _, payments: payments[22].__setitem__(0, ""),
    "missing-amount": lambda _, payments: payments[24].__setitem__(2, "NaN"),
    "word-in-amounts": lambda _, payments: payments[26].__setitem__(2, "12.50 CHF"),
}


def write(folder: Path, *, count: int, each: int, seed: int = 0, errors: list[str] | tuple[str, ...] = ()) -> None:
    draw = random.Random(seed)
    segments = draw.choices(SEGMENTS, k=count)
    people, payments = customers(segments, draw), transactions(segments, each, draw)
    for name in errors:
        ERRORS[name](people, payments)
    folder.mkdir(parents=True, exist_ok=True)
    for file, header, rows in (("customers", CUSTOMER, people), ("transactions", TRANSACTION, payments)):
        with (folder / f"{file}.csv").open("w", newline="", encoding="utf-8") as opened:
            csv.writer(opened).writerows([header, *rows])


def _id(number: int) -> str:
    return f"C-{number:05d}"


def _day(year: int, within: int, draw: random.Random) -> str:
    return (date(year, 1, 1) + timedelta(days=draw.randrange(within))).isoformat()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--customers", type=int, default=2000)
    parser.add_argument("--payments", type=int, default=5, help="of each customer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--errors", nargs="*", choices=ERRORS, help="by name; without a name all of them")
    chosen = parser.parse_args()
    errors = list(ERRORS) if chosen.errors == [] else chosen.errors or ()
    write(chosen.folder, count=chosen.customers, each=chosen.payments, seed=chosen.seed, errors=errors)


if __name__ == "__main__":
    main()
