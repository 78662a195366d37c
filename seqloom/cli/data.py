"""`seqloom data`: look at data before a model is trained on it; `seqloom data get`: bring a public data set."""

import json
import os
from typing import Annotated

import typer

EXAMPLES = [
    "seqloom data reviews.tsv",
    "seqloom data source=train.en target=train.de",
    "seqloom data train.csv test.csv --task classify --set data.columns.text=review",
    "seqloom data embedded:dates --json",
    "seqloom data --list",
    "seqloom data get",
    "seqloom data get multi30k",
]


def data(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...", help="Files, a folder, source=FILE target=FILE, embedded:NAME, data:NAME; or get NAME."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="The task, e.g. classify or package.module:Name; default: guessed from the data."),
    ] = None,
    set_: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of the data.")] = [],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the data sets that need no download.")] = False,
) -> None:
    """Summarise a data set: lengths, words, labels, duplicates and likely mistakes, with file and line.

    `get NAME` downloads a public data set, which settings refer to as data:NAME; `get` alone lists them. They are
    stored in the folder SEQLOOM_DATA, by default in the user's cache; SEQLOOM_DATA_MIRROR is a host (https://HOST) to
    download from instead of the original ones.
    """
    from seqloom.cli import data_view
    from seqloom.config import load
    from seqloom.data.column_roles import COLUMNS, ForTask
    from seqloom.data.embedded import is_embedded
    from seqloom.data.survey import survey
    from seqloom.data.survey.guess_task import SurveyConfig, open_for_survey, settings_of
    from seqloom.errors import DataError
    from seqloom.tokens.pretokenization import word_pattern

    if listed:
        data_view.show_embedded(as_json=as_json)
        return
    if files and files[0] == "get":
        get_datasets(files[1:], as_json)
        return
    if not files:
        raise DataError("no data given", remedy="name a file, or look at what is built in: seqloom data --list")
    where = {f"data__{split}": paths for split, paths in settings_of(files).items()}
    asked: ForTask = task
    if task is not None and task not in COLUMNS:
        from seqloom.tasks.registry import find_task  # one of another package

        asked = find_task(task).columns
    splits, looks_like = open_for_survey(load(SurveyConfig, None, set_, **where).data, asked)
    found = survey(splits, looks_like, word_pattern().findall)
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        data_view.show(found, ", ".join(files), guessed=task is None and not is_embedded(files[0]))


def get_datasets(names: list[str], as_json: bool) -> None:
    """Bring public data sets, or list them."""
    from seqloom.cli import data_view
    from seqloom.data.datasets import dataset
    from seqloom.data.download import get

    if not names:
        data_view.show_datasets(as_json=as_json)
    for found in map(dataset, names):
        data_view.show_dataset(found)
        data_view.show_paths(found, get(found, os.environ.get("SEQLOOM_DATA_MIRROR", ""), data_view.say))
