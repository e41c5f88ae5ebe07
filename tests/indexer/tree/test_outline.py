"""The outline shape: the author's sections as branches, and outlines that are wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from leafy import Pair, beneath, document, flat, leaves, manual
from treegraph.indexer.tree.shapes import load_shape
from treegraph.indexer.tree.skeleton import Branch, Leaves, Limits, Skeleton
from treegraph.indexer.tree.soundness import faults

LIMITS = Limits()


def grown(held: Leaves, before: Skeleton | None = None) -> Skeleton:
    tree = load_shape("outline").grow(held, LIMITS, before)
    assert faults(tree, held, LIMITS) == []
    return tree


def titled(tree: Skeleton) -> dict[tuple[str | None, tuple[str, ...]], Branch]:
    return {(b.document, b.section): b for b in tree.branches.values() if b.title}


def test_every_section_of_two_chunks_or_more_is_a_branch_over_just_its_own() -> None:
    pairs = manual("a", 8) + manual("b", 3)
    tree = grown(leaves(pairs))
    sections = titled(tree)
    for leaf, _ in pairs:
        for depth in range(1, len(leaf.section) + 1):
            path = leaf.section[:depth]
            branch = sections[leaf.document, path]
            assert branch.title == path[-1]
            inside = {x.id for x, _ in pairs if (x.document, x.section[:depth]) == (leaf.document, path)}
            assert beneath(tree, branch.id) == inside


def test_children_are_in_reading_order() -> None:
    pairs = manual("a", 8)
    tree = grown(leaves(pairs))
    at = {leaf.id: leaf.ordinal for leaf, _ in pairs}
    for branch in tree.branches.values():
        firsts = [min(at[leaf] for leaf in beneath(tree, child)) for child in branch.children]
        assert firsts == sorted(firsts)


def test_a_large_section_is_split_inside_along_its_subjects() -> None:
    pairs = document("a", [("One",)] * 12 + [("Two",)], per=7)
    tree = grown(leaves(pairs))
    large = titled(tree)["a", ("One",)]
    assert len(beneath(tree, large.id)) == 84
    inner = [tree.branches[child] for child in large.children if child in tree.branches]
    assert inner
    assert all((b.title, b.section, b.document) == ("", ("One",), "a") for b in inner)
    lowest = [beneath(tree, b.id) for b in tree.branches.values() if b.level == 1]
    subjects = [{leaf.id for leaf, _ in pairs[at : at + 7]} for at in range(0, 84, 7)]
    assert sum(any(subject <= held for held in lowest) for subject in subjects) >= 10


def test_a_section_with_one_thing_in_it_is_that_thing() -> None:
    pairs = document("a", [("1",), ("2", "2.1", "2.1.1"), ("3",)], per=2)
    pairs = pairs[:5]
    tree = grown(leaves(pairs))
    sections = titled(tree)
    assert set(sections) == {("a", ("1",)), ("a", ("2", "2.1", "2.1.1"))}
    root = tree.branches[tree.root or ""]
    assert root.children == (
        sections["a", ("1",)].id,
        sections["a", ("2", "2.1", "2.1.1")].id,
        pairs[4][0].id,
    )


def test_documents_stand_whole_beneath_what_holds_them_together() -> None:
    pairs = [pair for name in map(str, range(40)) for pair in manual(name, 2)]
    tree = grown(leaves(pairs))
    for name in map(str, range(40)):
        inside = {leaf.id for leaf, _ in pairs if leaf.document == name}
        whole = [b for b in tree.branches.values() if b.document == name and b.section == ()]
        assert any(beneath(tree, b.id) == inside for b in whole)


def test_a_document_without_an_outline_is_clustered() -> None:
    tree = grown(leaves(flat(200)))
    assert not titled(tree)
    assert {b.document for b in tree.branches.values()} == {"doc"}


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param([(f"Page {at}",) for at in range(400)], id="every page an entry"),
        pytest.param([("Manual",)] * 120, id="one entry"),
        pytest.param([("A",), ("B",), ("A",), ("C", "D"), ("A", "X"), ("C", "D")] * 9, id="out of order"),
        pytest.param([tuple(map(str, range(depth))) for depth in range(1, 60)], id="deeper and deeper"),
        pytest.param([tuple(map(str, range(500)))] * 3, id="deep nesting of one"),
        pytest.param([("", ""), ("", ""), ("",), ()] * 5, id="empty titles"),
    ],
)
def test_an_outline_that_is_wrong(sections: list[tuple[str, ...]]) -> None:
    pairs = document("a", sections, per=3)
    held = leaves(pairs)
    tree = grown(held)
    assert grown(held, tree) == tree


def test_a_path_that_comes_back_is_another_branch() -> None:
    tree = grown(leaves(document("a", [("A",), ("B",), ("A",)], per=3)))
    branches = [b for b in tree.branches.values() if b.title == "A"]
    assert len(branches) == 2
    assert branches[0].id != branches[1].id


def test_chunks_between_subsections_stay_with_their_section() -> None:
    pairs = document("a", [("A",), ("A", "A.1"), ("A",), ("A", "A.2"), ("B",)], per=2)
    tree = grown(leaves(pairs))
    assert [b.title for b in tree.branches.values()].count("A") == 1


def test_a_section_moves_with_the_outline() -> None:
    pairs = document("a", [("A",), ("B",), ("C",)], per=5)
    before = grown(leaves(pairs))
    moved = [(replace(x, section=("B", "C")) if x.section == ("C",) else x, v) for x, v in pairs]
    tree = grown(leaves(moved), before)
    assert beneath(tree, titled(tree)["a", ("B",)].id) == {x.id for x, _ in moved if x.section[0] == "B"}
    assert titled(tree)["a", ("A",)] is titled(before)["a", ("A",)]
    assert ("a", ("C",)) not in titled(tree)


def test_an_entry_that_is_taken_out_leaves_no_title_and_comes_back() -> None:
    pairs = document("a", [("A",), ("A", "A.1"), ("A", "A.2"), ("B",)], per=6)
    before = grown(leaves(pairs))
    cut = [(replace(x, section=x.section[:1]), v) for x, v in pairs]
    tree = grown(leaves(cut), before)
    assert set(titled(tree)) == {("a", ("A",)), ("a", ("B",))}
    assert set(titled(grown(leaves(pairs), tree))) == set(titled(before))


def test_the_same_titles_in_two_documents_are_two_sections() -> None:
    tree = grown(leaves(document("a", [("A",), ("B",)]) + document("b", [("A",), ("B",)])))
    assert len(titled(tree)) == 4


def front_matter(pages: int, chapters: int, title: tuple[str, ...] = ()) -> list[Pair]:
    """A document whose contents and preface stand in no chapter, under its ``title`` if it has one."""
    return document("a", [title, *((*title, f"{at} Chapter") for at in range(chapters))], per=pages)


def first_level(tree: Skeleton) -> list[Branch]:
    return [
        tree.branches[child] for child in tree.branches[tree.root or ""].children if child in tree.branches
    ]


@pytest.mark.parametrize("pages", [9, 40])
@pytest.mark.parametrize("title", [(), ("Title",)])
def test_chapters_stand_beneath_their_document_whatever_is_before_them(
    pages: int, title: tuple[str, ...]
) -> None:
    pairs = front_matter(pages, 12, title)
    front, *chapters = first_level(grown(leaves(pairs)))
    assert [branch.title for branch in chapters] == [f"{at} Chapter" for at in range(12)]
    assert (front.title, front.section, front.document) == ("", title, "a")


def test_a_few_loose_chunks_need_no_branch() -> None:
    pairs = front_matter(3, 12)
    root = (tree := grown(leaves(pairs))).branches[tree.root or ""]
    assert root.children[:3] == tuple(leaf.id for leaf, _ in pairs[:3])


def test_chunks_before_the_chapters_are_apart_from_those_behind_them() -> None:
    pairs = document("a", [(), ("A",), (), ("B",), ()], per=7)
    tree = grown(leaves(pairs))
    inner = first_level(tree)
    assert [branch.title for branch in inner] == ["", "A", "", "B", ""]
    added = [(replace(x, ordinal=-1), v) for x, v in document("a", [()], per=7, seed=1)]
    again = grown(leaves(pairs + added), tree)
    assert [again.branches[branch.id] is branch for branch in inner] == [False, True, True, True, True]


def test_what_was_clustered_with_a_chapter_leaves_it() -> None:
    held = leaves(front_matter(9, 12))
    tree = grown(held)
    front, first, *rest = first_level(tree)
    mixed = Branch("mixed", (*front.children, first.id), first.level + 1, document="a")
    root = replace(tree.branches[tree.root or ""], children=("mixed", *(branch.id for branch in rest)))
    others = {key: branch for key, branch in tree.branches.items() if key != front.id}
    before = Skeleton({**others, "mixed": mixed, root.id: replace(root, level=root.level + 1)}, root.id)
    assert faults(before, held, LIMITS) == []
    assert grown(held, before) == tree


def test_chapters_come_up_to_their_document_as_soon_as_there_is_room() -> None:
    pairs = front_matter(20, 16)
    before = grown(leaves(pairs))
    assert "15 Chapter" not in {branch.title for branch in first_level(before)}
    fewer = [pair for pair in pairs if pair[0].section not in {("3 Chapter",), ("7 Chapter",)}]
    tree = grown(leaves(fewer), before)
    assert sum(bool(branch.title) for branch in first_level(tree)) == 14
    assert tree == grown(leaves(fewer))
    assert grown(leaves(pairs), tree).root == before.root


def test_clusters_hold_chapters_that_follow_one_another() -> None:
    pairs = document("a", [(f"{at} Chapter",) for at in range(45)], per=4)
    tree = grown(leaves(pairs))
    at = {leaf.id: leaf.ordinal for leaf, _ in pairs}
    clusters = [branch for branch in tree.branches.values() if not branch.title]
    assert len(clusters) > 3
    for branch in clusters:
        held = {at[leaf] for leaf in beneath(tree, branch.id)}
        assert max(held) - min(held) + 1 == len(held)
