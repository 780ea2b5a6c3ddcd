"""Texts for models: found, filled in strictly, told apart by a hash."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from rag.errors import PromptError
from rag.prompts import TASKS, load_task, load_tasks, shipped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of our prompts, to be changed."""
    return Path(shutil.copytree(shipped(), tmp_path / "prompts"))


def test_every_task_ships_with_just_its_files() -> None:
    tasks = {task.name: set(task.messages) for task in load_tasks()}
    files = {path.parent.name for path in shipped().glob("*/*.md")}
    assert tasks == {name: set(parts) for name, parts in TASKS.items()}
    assert files == set(TASKS)
    for name in TASKS:
        assert {path.stem for path in (shipped() / name).glob("*.md")} == set(TASKS[name])


def test_what_is_filled_in_is_not_looked_into_again() -> None:
    text = load_task("answer")["question"].render(abstracts="{{question}}", question="Why \\1?")
    assert "{{question}}" in text
    assert text.endswith("Question: Why \\1?")


@pytest.mark.parametrize(
    "values", [{"question": "Why?"}, {"question": "", "abstracts": "", "x": ""}]
)
def test_rendering_takes_just_the_names(values: dict[str, str]) -> None:
    with pytest.raises(TypeError, match=re.escape("question.md")):
        load_task("answer")["question"].render(**values)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{abstracts}} and no question", "lacks the name 'question'"),
        ("{{abstracts}} {{question}} {{mood}}", "has the name 'mood'"),
        ("", "is empty"),
    ],
)
def test_a_text_with_the_wrong_names_is_refused_by_file(
    folder: Path, text: str, problem: str
) -> None:
    path = folder / "answer" / "question.md"
    path.write_text(text)
    with pytest.raises(PromptError) as caught:
        load_task("answer", folder)
    assert str(path) in caught.value.message
    assert problem in caught.value.message


def test_a_missing_or_unreadable_file_is_named(folder: Path) -> None:
    (folder / "answer" / "system.md").unlink()
    (folder / "follow_up" / "system.md").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(PromptError, match=re.escape("answer/system.md")):
        load_task("answer", folder)
    with pytest.raises(PromptError, match=re.escape("follow_up/system.md")):
        load_task("follow_up", folder)


def test_a_folder_without_prompts_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(PromptError) as caught:
        list(load_tasks(tmp_path))
    assert "answer" in caught.value.fix


def test_a_folder_may_hold_some_of_the_tasks(folder: Path) -> None:
    shutil.rmtree(folder / "follow_up")
    rest = [name for name in TASKS if name != "follow_up"]
    assert [task.name for task in load_tasks(folder)] == rest


def test_the_hash_follows_the_words_and_not_the_line_ends(folder: Path) -> None:
    ours = load_task("answer").identity
    assert re.fullmatch(r"answer@[0-9a-f]{8}", ours)
    for path in folder.rglob("*.md"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_task("answer", folder).identity == ours
    path = folder / "answer" / "rewrite.md"
    path.write_text(path.read_text().replace("nothing else", "nothing"))
    assert load_task("answer", folder).identity != ours
