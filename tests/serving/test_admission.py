"""What is let in: as much as is answered in half the time allowed, found from any start."""

import pytest

from seqloom.serving.admission import INITIAL, MINIMUM, AdmissionControl


def serve(admission: AdmissionControl, speed: float, wanted: int, seconds: float, began: float = 0.0) -> list[float]:
    """A server that answers so many texts a second while `wanted` ones want to come in; the latencies."""
    here: list[float] = []
    took = []
    for answer in range(int(seconds * speed)):
        now = began + answer / speed
        while len(here) < wanted and not admission.is_full(len(here), 1):
            here.append(now)
        arrived = here.pop(0)
        took.append(now - arrived)
        admission.record(arrived, now, len(here))
    return took


@pytest.mark.parametrize("speed", [3, 11, 40])
def test_answers_come_in_time_and_most_of_the_speed_is_used(speed):
    admission = AdmissionControl(512, seconds=10)
    took = serve(admission, speed, 10_000, 600)
    assert max(took[len(took) // 4 :]) < 8
    assert speed * 5 * 0.4 < admission.limit < speed * 5 * 1.1, "half of the time allowed"


def test_when_work_gets_slower_less_is_let_in_and_later_more_again():
    admission = AdmissionControl(512, seconds=10)
    serve(admission, 40, 10_000, 300)
    slow = serve(admission, 8, 10_000, 300, began=300)
    assert sum(took > 10 for took in slow) < 0.1 * len(slow)
    assert admission.limit < 50
    serve(admission, 40, 10_000, 300, began=600)
    assert admission.limit > 120


def test_a_server_that_answers_all_quickly_soon_takes_what_the_queue_holds():
    admission = AdmissionControl(512, seconds=10)
    serve(admission, 2000, 10_000, 1)
    assert admission.limit == 512


def test_few_who_come_do_not_show_that_there_is_room_for_many():
    admission = AdmissionControl(512, seconds=10)
    serve(admission, 40, 9, 600)
    assert admission.limit == INITIAL


def test_slow_texts_in_a_row_count_once():
    admission = AdmissionControl(512, seconds=10)
    for late in range(60):
        admission.record(0.0, 7.0 + late / 100, 59 - late)
    assert admission.limit == INITIAL * 0.8


def test_one_slow_text_does_not_shut_out_quick_ones():
    admission = AdmissionControl(512, seconds=10)
    for turn in range(200):
        admission.record(turn * 25.0, turn * 25.0 + 24, 60)
        for quick in range(50):
            admission.record(turn * 25.0 + quick / 3, turn * 25.0 + quick / 3 + 0.2, 60)
    assert admission.limit > 8


def test_a_client_that_left_early_says_nothing_and_one_that_waited_long_does():
    admission = AdmissionControl(512, seconds=10)
    admission.record(0.0, 1.0, 60, answered=False)
    assert admission.limit == INITIAL
    admission.record(0.0, 7.0, 60, answered=False)
    assert admission.limit < INITIAL


def test_there_is_always_some_room_and_never_more_than_the_queue():
    admission = AdmissionControl(70, seconds=10)
    for turn in range(1000):
        admission.record(turn * 10.0, turn * 10.0 + 9, 60)
    assert admission.limit == MINIMUM
    for turn in range(10_000):
        admission.record(turn * 10.0, turn * 10.0 + 0.1, 60)
    assert admission.limit == 70
    assert not admission.is_full(0, 1000), "who has nothing to do takes anything"
    assert admission.is_full(1, 70)
