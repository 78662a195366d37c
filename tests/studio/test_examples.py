"""The input to begin with: of one's own training data; a model of somebody else's opens no file."""

from seqloom.studio.examples import example_input
from seqloom.training.model import Model


def test_it_comes_from_ones_own_training_data_where_that_may_be_shown(moods, tmp_path):
    assert example_input(moods, from_data=True) == "it was a fine film"
    frequent = example_input(moods, from_data=False)
    assert frequent != "it was a fine film"
    strange = Model(moods.config, moods.task, moods.network, own=False)
    assert example_input(strange, from_data=True) == frequent, "the files that it names are not opened"
    data = moods.config.data.model_copy(update={"train": str(tmp_path / "gone.tsv")})
    gone = Model(moods.config.model_copy(update={"data": data}), moods.task, moods.network)
    assert example_input(gone, from_data=True) == frequent
