"""What is let in: as much as is answered in half the time allowed, found from any start."""

import pytest

from seqloom.serving.room import FIRST, LEAST, Room


def serve(room: Room, speed: float, wanted: int, seconds: float, began: float = 0.0) -> list[float]:
    """A desk that answers at a speed, and always `wanted` texts that want to come in; the seconds that answers took."""
    here: list[float] = []
    took = []
    for answer in range(int(seconds * speed)):
        now = began + answer / speed
        while len(here) < wanted and not room.full(len(here), 1):
            here.append(now)
        arrived = here.pop(0)
        took.append(now - arrived)
        room.learn(arrived, now, len(here))
    return took


@pytest.mark.parametrize("speed", [3, 11, 40])
def test_answers_come_in_time_and_most_of_the_speed_is_used(speed):
    room = Room(512, seconds=10)
    took = serve(room, speed, 10_000, 600)
    assert max(took[len(took) // 4 :]) < 8
    assert speed * 5 * 0.4 < room.size < speed * 5 * 1.1, "half of the time allowed"


def test_when_work_gets_slower_less_is_let_in_and_later_more_again():
    room = Room(512, seconds=10)
    serve(room, 40, 10_000, 300)
    slow = serve(room, 8, 10_000, 300, began=300)
    assert sum(took > 10 for took in slow) < 0.1 * len(slow)
    assert room.size < 50
    serve(room, 40, 10_000, 300, began=600)
    assert room.size > 120


def test_a_server_that_answers_all_quickly_soon_takes_what_the_queue_holds():
    room = Room(512, seconds=10)
    serve(room, 2000, 10_000, 1)
    assert room.size == 512


def test_few_who_come_do_not_show_that_there_is_room_for_many():
    room = Room(512, seconds=10)
    serve(room, 40, 9, 600)
    assert room.size == FIRST


def test_slow_texts_in_a_row_count_once():
    room = Room(512, seconds=10)
    for late in range(60):
        room.learn(0.0, 7.0 + late / 100, 59 - late)
    assert room.size == FIRST * 0.8


def test_one_slow_text_does_not_shut_out_quick_ones():
    room = Room(512, seconds=10)
    for turn in range(200):
        room.learn(turn * 25.0, turn * 25.0 + 24, 60)
        for quick in range(50):
            room.learn(turn * 25.0 + quick / 3, turn * 25.0 + quick / 3 + 0.2, 60)
    assert room.size > 8


def test_a_client_that_left_early_says_nothing_and_one_that_waited_long_does():
    room = Room(512, seconds=10)
    room.learn(0.0, 1.0, 60, answered=False)
    assert room.size == FIRST
    room.learn(0.0, 7.0, 60, answered=False)
    assert room.size < FIRST


def test_there_is_always_some_room_and_never_more_than_the_queue():
    room = Room(70, seconds=10)
    for turn in range(1000):
        room.learn(turn * 10.0, turn * 10.0 + 9, 60)
    assert room.size == LEAST
    for turn in range(10_000):
        room.learn(turn * 10.0, turn * 10.0 + 0.1, 60)
    assert room.size == 70
    assert not room.full(0, 1000), "who has nothing to do takes anything"
    assert room.full(1, 70)
