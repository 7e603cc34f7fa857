"""Routes: shortest, explicit, and trees."""

import itertools

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellway.scenario import VC, GreedyTraffic, Link, Scenario, ScenarioError, lower


def network(links: list[tuple[str, str, str]], hosts: str, **vcs: VC) -> Scenario:
    """A scenario of duplex links (node, node, delay)."""
    switches = sorted({node for tail, head, _ in links for node in (tail, head)} - set(hosts.split()))
    return Scenario(
        rate="155.52 Mbit/s",
        duration="1 ms",
        switches=switches,
        hosts=hosts.split(),
        links=[Link(between=[tail, head], delay=delay) for tail, head, delay in links],
        vcs=vcs,
    )


def route(scenario: Scenario, vc: str = "v") -> list[str]:
    links: list[str] = lower(scenario).document["vcs"][vc]["links"]
    return links


def greedy(source: str, to: str | list[str], **more: object) -> VC:
    return VC(from_=source, to=to, traffic=GreedyTraffic(), **more)


SQUARE = [
    ("a", "s1", "0 s"),
    ("s1", "s2", "1 us"),
    ("s2", "s4", "1 us"),
    ("s1", "s3", "1 us"),
    ("s3", "s4", "1 us"),
    ("s4", "b", "0 s"),
]


def test_fewest_links_first() -> None:
    links = [*SQUARE, ("s1", "s4", "9 ms")]
    assert route(network(links, "a b", v=greedy("a", "b"))) == ["a->s1", "s1->s4", "s4->b"]


def test_then_least_delay() -> None:
    links = [*SQUARE[:4], ("s3", "s4", "0.5 us"), SQUARE[5]]
    assert route(network(links, "a b", v=greedy("a", "b"))) == ["a->s1", "s1->s3", "s3->s4", "s4->b"]


@given(st.permutations(SQUARE))
def test_then_names_whatever_the_order_of_the_file(links: list[tuple[str, str, str]]) -> None:
    assert route(network(links, "a b", v=greedy("a", "b"))) == ["a->s1", "s1->s2", "s2->s4", "s4->b"]


def test_never_through_a_host() -> None:
    links = [("a", "s1", "0 s"), ("s1", "s2", "0 s"), ("b", "s2", "0 s"), ("c", "s3", "0 s")]
    with pytest.raises(ScenarioError, match="'c' cannot be reached from 'a'"):
        lower(network(links, "a b c", v=greedy("a", "c")))


def test_two_hosts_without_a_switch() -> None:
    assert route(network([("a", "b", "1 us")], "a b", v=greedy("a", "b"))) == ["a->b"]


def test_explicit_route_may_be_longer() -> None:
    links = [*SQUARE, ("s1", "s4", "0 s")]
    vc = greedy("a", "b", route=["a", "s1", "s3", "s4", "b"])
    assert route(network(links, "a b", v=vc)) == ["a->s1", "s1->s3", "s3->s4", "s4->b"]


def test_multicast_shares_the_stem() -> None:
    links = [("a", "s1", "0 s"), ("s1", "s2", "0 s"), ("s2", "b", "0 s"), ("s2", "c", "0 s"), ("s1", "d", "0 s")]
    assert route(network(links, "a b c d", v=greedy("a", ["b", "c", "d"]))) == [
        "a->s1", "s1->s2", "s2->b", "s2->c", "s1->d",
    ]  # fmt: skip


def test_one_way_links_route_one_way() -> None:
    one_way = Scenario(
        rate="1 Mbit/s",
        duration="1 s",
        switches=["s"],
        hosts=["a", "b"],
        links=[Link(from_="a", to="s"), Link(from_="s", to="b")],
        vcs={"v": greedy("a", "b")},
    )
    assert route(one_way) == ["a->s", "s->b"]
    one_way.vcs["v"] = greedy("b", "a")
    with pytest.raises(ScenarioError, match="a link from 'b'; it has none"):
        lower(one_way)


@given(st.integers(2, 8), st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 3)), max_size=20))
def test_agrees_with_an_exhaustive_search(size: int, chosen: set[tuple[int, int, int]]) -> None:
    delays: dict[tuple[str, str], int] = {}
    for tail, head, delay in sorted(chosen):
        if tail < head < size:
            delays.setdefault((f"s{tail}", f"s{head}"), delay)
    links = [(tail, head, f"{delay} us") for (tail, head), delay in delays.items()]
    links += [("a", "s0", "0 s"), ("b", f"s{size - 1}", "0 s")]
    scenario = network(links, "a b", v=greedy("a", "b"))
    graph = nx.Graph()
    graph.add_nodes_from(["s0", f"s{size - 1}"])
    graph.add_weighted_edges_from((tail, head, delay) for (tail, head), delay in delays.items())
    paths = [*nx.all_simple_paths(graph, "s0", f"s{size - 1}")] if size > 1 else [["s0"]]
    if not paths:
        with pytest.raises(ScenarioError, match="cannot be reached"):
            lower(scenario)
        return
    best = min(paths, key=lambda path: (len(path), nx.path_weight(graph, path, "weight"), path))
    assert route(scenario) == [f"{tail}->{head}" for tail, head in itertools.pairwise(["a", *best, "b"])]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=5, max_size=15), st.permutations(range(6)))
def test_shortest_paths_from_one_host_form_a_tree(pairs: list[tuple[int, int]], at: list[int]) -> None:
    """Six switches in a row and random chords; a host at each; one VC to all of them."""
    joined = {(k, k + 1) for k in range(5)} | {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    links = [(f"s{tail}", f"s{head}", "1 us") for tail, head in sorted(joined)]
    links += [(f"h{k}", f"s{k}", "0 s") for k in range(6)]
    root, *leaves = at
    used = route(network(links, " ".join(f"h{k}" for k in range(6)), v=greedy(f"h{root}", [f"h{k}" for k in leaves])))
    assert nx.is_arborescence(nx.DiGraph(link.split("->") for link in used))


def test_ten_thousand_vcs_over_a_hundred_switches() -> None:
    size, count = 100, 10_000
    scenario = Scenario(
        rate="622.08 Mbit/s",
        duration="1 ms",
        switches=[f"s[0..{size - 1}]"],
        hosts=[f"a[1..{count}]", f"b[1..{count}]"],
        links=[
            Link(between=[f"s[0..{size - 2}]", f"s[1..{size - 1}]"]),
            Link(between=[f"a[1..{count}]", "s0"]),
            Link(between=[f"b[1..{count}]", f"s{size - 1}"]),
        ],
        vcs={f"v[1..{count}]": greedy(f"a[1..{count}]", f"b[1..{count}]")},
    )
    document = lower(scenario).document
    assert len(document["vcs"]) == count
    assert len(document["vcs"]["v7"]["links"]) == size + 1
