"""The experiments show what they say."""

import pytest
import torch

from seqloom.explaining import experiments
from seqloom.explaining.experiments import forgetting, masks, norms, parameters, rank, why_sqrt_d, why_tanh
from seqloom.explaining.panels import BarChart, HeatMap, LineChart
from seqloom.layers.scores import dot, scaled_dot
from seqloom.layers.simple_rnn import linear_rnn, simple_rnn


@pytest.mark.parametrize("name", experiments.NAMES)
def test_every_experiment_has_its_question_text_and_panels(name):
    experiment = experiments.run(name)
    assert experiment.question.endswith("?")
    assert experiment.text
    assert experiment.panels
    for panel in experiment.panels:
        if isinstance(panel, LineChart):
            assert all(len(line.x) == len(line.y) for line in panel.series)
        if isinstance(panel, BarChart):
            assert all(len(bars) == len(panel.categories) for _, bars in panel.series)


def test_without_tanh_eigenvalues_decide_and_with_it_the_state_is_bounded():
    assert why_tanh.norms(linear_rnn, 0.9)[-1] == pytest.approx(0.9**100)
    assert why_tanh.norms(linear_rnn, 1.2)[-1] == pytest.approx(1.2**100)
    assert why_tanh.norms(simple_rnn, 1.2)[-1] < why_tanh.WIDTH**0.5


def test_variance_of_scores_is_the_width_and_scaling_undoes_it():
    assert float(why_sqrt_d.scores(dot, 256).var()) == pytest.approx(256, rel=0.05)
    assert float(why_sqrt_d.scores(scaled_dot, 256).var()) == pytest.approx(1, rel=0.05)
    assert why_sqrt_d.largest(why_sqrt_d.scores(dot, 512)) > 3 * why_sqrt_d.largest(why_sqrt_d.scores(scaled_dot, 512))


def test_recurrent_layers_forget_by_distance_and_attention_does_not():
    experiment = experiments.run("forgetting")
    chart = experiment.panels[0]
    assert isinstance(chart, LineChart)
    kept = {line.name: forgetting.ratio(list(line.y)) for line in chart.series}
    assert kept["simple RNN"] < kept["LSTM"] < kept["self-attention"]
    assert kept["self-attention"] > 0.1


def test_padding_changes_batch_norm_and_not_layer_norm():
    from seqloom.layers.norms import batch_norm, layer_norm

    sentence = torch.randn(norms.TOKENS, norms.WIDTH) + 1
    assert norms.change(batch_norm, sentence, 5) > 0.1
    assert norms.change(layer_norm, sentence, 5) < 1e-6


def test_feed_forward_holds_two_thirds_of_a_block():
    counted = parameters.by_part(512, 6)
    assert counted["attention"] == 6 * 4 * 512 * 512
    assert counted["feed-forward"] == 6 * (8 * 512 * 512 + 5 * 512)


def test_rank_of_scores_is_bounded_by_the_width_and_that_of_their_softmax_is_not():
    scores = rank.draw(4)
    assert rank.rank(scores) == 4
    assert rank.rank(torch.softmax(scores, -1)) > 4


def test_no_query_attends_to_padding_or_later_positions():
    experiment = experiments.run("masks", "a b c")
    both = next(panel for panel in experiment.panels if panel.title == "Attention weights under both")
    assert isinstance(both, HeatMap)
    weights = torch.tensor(both.value.data).view(both.value.shape)
    length = 3 + masks.PADDING
    assert torch.equal(weights, weights.tril())
    assert float(weights[:, 3:].sum()) == 0
    torch.testing.assert_close(weights.sum(-1), torch.ones(length), atol=1e-3, rtol=0)


def test_shuffled_words_come_out_shuffled_until_they_know_their_places():
    table = experiments.run("position-matters").panels[0]
    without, with_places = (float(row[1]) for row in table.rows)  # type: ignore[union-attr]
    assert without < 1e-5 < 0.01 < with_places
