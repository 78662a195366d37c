"""Clients that are slow, gone, many or wrong: real sockets, and a real process."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.serving.toy_server import (
    Served,
    answer_of,
    drip,
    get,
    head,
    one,
    parse,
    post,
    read_until_cut,
    received,
    rest,
)
from tests.waits import eventually


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("served") / "log"
    server = Served(log, header_seconds=1, keep_alive_seconds=2, send_seconds=1, connections=20, grace_seconds=1)
    yield server
    server.end()


# --- slow, gone ---------------------------------------------------------------------------------------


def test_headers_that_come_byte_by_byte_are_refused(served):
    with served.connect() as client:
        status, _, body = parse(drip(client, get("/") + b"x" * 1000))
    what = "the headers did not arrive within 1 seconds"
    assert (status, body) == (408, {"error": {"message": what, "bound": "header_seconds"}})


@pytest.mark.parametrize("path", ["/full", "/full?x=1"])
def test_a_request_there_is_no_room_for_is_refused_before_its_body_comes(served, path):
    status, headers, body = served.ask(post(path, 10_000_000))
    assert (status, body) == (503, {"error": {"message": "full", "bound": "room"}})
    assert (headers["retry-after"], headers["connection"]) == ("1", "close")


def test_such_a_refusal_has_the_form_that_clients_of_the_path_expect(served):
    assert served.ask(post("/v1/full", 9))[2]["error"]["type"] == "server_error"


def test_it_is_refused_on_a_connection_that_was_used_too(served):
    with served.connect(get("/")) as client:
        assert b"200" in one(client)
        client.sendall(post("/full", 9))
        assert answer_of(client)[0] == 503


def test_others_are_answered_all_the_same(served):
    assert served.ask(get("/full", "Connection: close"))[0] == 200
    assert served.ask(post("/fully", 1, b"x", "Connection: close"))[0] == 200
    with served.connect(post("/scope", 30, b"POST /full HTTP/1.1\r\nHost: x")) as client:  # of a body
        client.sendall(b"\r\n" * 5)
        assert b"/scope" in one(client)


def test_a_connection_that_says_nothing_is_closed(served):
    with served.connect() as client:
        assert rest(client) == b""


def test_a_second_request_has_to_be_as_quick_as_the_first(served):
    with served.connect(get("/")) as client:
        one(client)
        assert parse(drip(client, get("/", "X: " + "x" * 1000)))[0] == 408


def test_an_answer_may_take_longer_than_the_headers(served):
    assert served.ask(get("/slow", "Connection: close"))[::2] == (200, "slow but done")


def test_a_connection_that_was_used_and_is_idle_is_closed(served):
    with served.connect(get("/")) as client:
        one(client)
        assert rest(client) == b""


def test_a_body_that_was_answered_before_its_end_does_not_hold_the_connection(served):
    with served.connect(post("/early", 10_000)) as client:
        assert b"413" in one(client)
        assert drip(client, b"x" * 10_000) == b""


def test_an_answer_before_the_end_of_a_body_is_read_by_a_client_that_writes_first(served):
    with served.connect(post("/early-close", 20_000_000, b"x" * 20_000_000)) as client:
        assert answer_of(client)[0] == 413


def test_pieces_of_a_body_reach_the_application_as_they_come(served):
    with served.connect(post("/pieces", 6)) as client:
        for piece in (b"a", b"bb", b"ccc"):
            client.sendall(piece)
            found = b""
            while b"<%d>" % len(piece) not in found:
                found += received(client, 65_536)


@pytest.mark.parametrize("request_", [post("/body", 9, b"half"), post("/wait", 3, b"abc")], ids=["reading", "working"])
def test_the_application_is_told_that_a_client_is_gone(served, request_):
    path = request_.split()[1].decode()
    before = served.ask(get("/gone", "Connection: close"))[2].count(path)
    served.connect(request_).close()
    eventually(lambda: served.ask(get("/gone", "Connection: close"))[2].count(path) == before + 1)


def test_a_client_that_never_reads_is_cut_and_fills_no_memory(served):
    before = served.memory()
    with ExitStack() as clients:
        for _ in range(5):
            clients.enter_context(served.connect(get("/big"), receive_buffer=4096))
        eventually(lambda: served.ask(get("/gone", "Connection: close"))[2].count("/big") == 5)
        assert served.memory() - before < 20_000_000


@pytest.mark.parametrize("request_", [post("/forever", 60_000_000), get("/forever")], ids=["body", "next requests"])
def test_what_comes_before_it_is_read_fills_no_memory(served, request_):
    before = served.memory()
    with served.connect(request_) as client:
        client.settimeout(2)
        with pytest.raises(TimeoutError):
            client.sendall(b"x" * 60_000_000)
        assert served.memory() - before < 20_000_000


# --- too much -----------------------------------------------------------------------------------------

TOO_LARGE = {"error": {"message": "the headers have more than 65,536 bytes", "bound": "header_bytes"}}


def test_sixty_megabytes_of_headers_are_refused_and_not_held(served):
    before = served.memory()
    with served.connect(b"GET / HTTP/1.1\r\nHost: here\r\n") as client:
        for number in range(60):
            client.sendall(f"X-{number}: ".encode() + b"x" * 1_000_000 + b"\r\n")
        held = served.memory() - before
        status, _, body = answer_of(client)
    assert (status, body) == (431, TOO_LARGE)
    assert held < 20_000_000


@pytest.mark.parametrize("more", [66_000, 200_000])
def test_headers_over_the_bound_that_come_at_once_are_refused(served, more):
    status, _, body = served.ask(get("/", "X: " + "x" * more))
    assert (status, body) == (431, TOO_LARGE)


def test_headers_just_under_the_bound_are_read(served):
    assert served.ask(get("/", "X: " + "x" * 65_000, "Connection: close"))[0] == 200


def test_connections_over_the_bound_are_told_so_and_those_far_over_it_cut(served):
    eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)
    with ExitStack() as clients:
        held = [clients.enter_context(served.connect(post("/body", 9, b"half"))) for _ in range(20)]
        status, headers, body = answer_of(clients.enter_context(served.connect()))
        assert (status, headers["retry-after"]) == (503, "1")
        assert body == {"error": {"message": "20 connections are open", "bound": "connections"}}
        over = [clients.enter_context(served.connect()) for _ in range(130)]
        refused = [read_until_cut(client) for client in over]
        assert b"HTTP/1.1 503" in {answer[:12] for answer in refused}
        assert b"" in refused  # cut without a word
        assert len(held) == 20
    eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)


def test_clients_that_were_refused_and_stay_do_not_hold_their_connections(served):
    with ExitStack() as clients:
        for _ in range(20):
            clients.enter_context(served.connect(b"nonsense\r\n\r\n"))
        eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)


# --- wrong, or seldom ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00 hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost here\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET here:80 HTTP/1.1\r\nHost: here\r\n\r\n",
        b"GET ftp://here/ HTTP/1.1\r\nHost: here\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nabcd",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    ],
    ids=["tls", "header", "no host", "two hosts", "authority", "ftp", "lengths", "coding", "chunk", "smuggled"],
)
def test_a_request_that_is_wrong_is_refused_in_json(served, data):
    status, headers, body = served.ask(data)
    assert (status, headers["content-type"]) == (400, "application/json")
    assert list(body) == ["error"] and list(body["error"]) == ["message"]


def test_an_application_may_answer_what_was_refused_already(served):
    chunk = b"POST /late HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    with served.connect(chunk) as client:
        assert answer_of(client)[0] == 400
        eventually(lambda: "/late" in served.ask(get("/gone", "Connection: close"))[2])


def test_another_version_of_http_is_refused(served):
    assert served.ask(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")[0] == 505


def test_http_1_0_is_answered(served):
    assert served.ask(b"GET / HTTP/1.0\r\n\r\n")[::2] == (200, "ok")


def test_requests_in_a_row_are_answered_in_order(served):
    paths = [f"/scope?{number}" for number in range(3)]
    with served.connect(b"".join(get(path) for path in paths)) as client:
        assert [parse(one(client))[2][1] for _ in paths] == ["0", "1", "2"]


def test_a_whole_address_as_target_names_the_host(served):
    asked = b"GET http://elsewhere:81/scope?a=1 HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
    assert served.ask(asked)[2] == ["/scope", "a=1", "elsewhere:81"]


def test_an_error_of_the_application_is_told_without_what_it_says(served):
    status, _, body = served.ask(get("/crash"))
    assert (status, list(body["error"])) == (500, ["message"])
    assert "secret" not in str(body)
    log = served.log.read_text()
    assert "RuntimeError at" in log
    assert "secret" not in log


def test_an_application_that_does_not_answer_is_an_internal_error(served):
    assert served.ask(get("/silent"))[0] == 500


def test_an_answer_that_fails_halfway_is_cut(served):
    with served.connect(get("/halfway")) as client:
        assert not read_until_cut(client).endswith(b"0\r\n\r\n")
    assert "secret" not in served.log.read_text()


def test_head_has_the_headers_of_get_and_no_body(served):
    with served.connect(b"HEAD / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n") as client:
        head, _, body = rest(client).partition(b"\r\n\r\n")
    assert b"200 OK" in head and b"content-length: 4" in head and b"date: " in head
    assert body == b""


def test_a_client_that_asks_before_it_sends_a_body_is_answered(served):
    with served.connect(post("/upload", 3, b"", "Expect: 100-continue", "Connection: close")) as client:
        assert head(client).startswith(b"HTTP/1.1 100 Continue")
        client.sendall(b"abc")
        assert answer_of(client)[::2] == (200, 3)


def test_chunks_and_large_bodies_arrive_whole(served):
    head = b"POST /upload HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (size, b"x" * size) for size in (1, 70_000, 300_000)) + b"0\r\n\r\n"
    with served.connect(head + chunks + post("/upload", 5_000_000, b"x" * 5_000_000)) as client:
        assert [parse(one(client))[2] for _ in range(2)] == [370_001, 5_000_000]


def test_after_a_refusal_nothing_more_is_parsed(served):
    with served.connect(post("/early", 6, b"abc")) as client:
        status, headers, _ = parse(one(client))
        assert (status, headers["connection"]) == (413, "close")
        client.sendall(b"def" + get("/scope?next"))
        assert read_until_cut(client) == b""


def test_after_an_answer_in_pieces_that_ended_first_nothing_more_is_parsed(served):
    with served.connect(post("/early-pieces", 6, b"abc")) as client:
        assert read_until_cut(client).endswith(b"0\r\n\r\n")
    assert "LocalProtocolError" not in served.log.read_text()


def test_a_body_in_chunks_of_a_byte_is_refused_soon(served):
    """Six megabytes of them took six seconds of the processor, in which nobody else was answered."""
    head = b"POST /upload HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
    with served.connect(head + b"1\r\nx\r\n" * 5_000) as client:
        assert answer_of(client)[::2] == (400, {"error": {"message": "a body in chunks of less than 32 bytes"}})
    few = b"1\r\nx\r\n" * 4_000 + (b"40\r\n%s\r\n" % (b"x" * 64)) * 10_000 + b"0\r\n\r\n"
    with served.connect(head + few) as client:
        assert parse(one(client))[2] == 644_000


@pytest.mark.parametrize("request_", [get("/slow"), post("/upload", 3, b"abc"), get("/slow").replace(b"1.1", b"1.0")])
def test_a_client_that_sends_nothing_more_is_answered(served, request_):
    with served.connect(request_) as client:
        client.shutdown(socket.SHUT_WR)
        found = rest(client)
    interim, last = b"HTTP/1.1 102 Processing\r\n\r\n", found.partition(b"HTTP/1.1 200 OK")
    assert last[0] in (b"", interim) and last[1]
    assert found.endswith(b'"slow but done"' if b"slow" in request_ else b"3")


def test_a_client_that_leaves_half_a_request_is_not_waited_for(served):
    with served.connect(post("/upload", 30, b"abc")) as client:
        client.shutdown(socket.SHUT_WR)
        assert rest(client) == b""


def test_another_protocol_is_not_switched_to(served):
    upgrade = get("/", "Connection: upgrade, close", "Upgrade: websocket")
    assert served.ask(upgrade)[::2] == (200, "ok")
    assert served.ask(b"CONNECT / HTTP/1.1\r\nHost: here\r\n\r\n")[0] == 400
