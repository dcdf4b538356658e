"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from qpfs.files import check_folder_free, check_free, write_folder, write_whole, written_whole


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_appears_whole_with_the_usual_permissions(tmp_path):
    write_whole(tmp_path / "new" / "a.txt", "größe\n")
    assert (tmp_path / "new" / "a.txt").read_bytes() == "größe\n".encode()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new" / "a.txt").stat().st_mode) == 0o666 & ~mask
    assert names_in(tmp_path / "new") == ["a.txt"]


def test_a_file_half_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def broken():
        with written_whole(path) as staged:
            staged.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.txt"]


def test_a_folder_is_filled_whole(tmp_path):
    paths = write_folder(tmp_path / "out", {"a": "1", "z": "2"}, last="a")
    assert [path.read_text() for path in paths] == ["1", "2"]
    (tmp_path / "out" / "mine").write_text("stays")
    write_folder(tmp_path / "out", {"a": "3", "z": "4"}, last="a")
    assert {path.name: path.read_text() for path in (tmp_path / "out").iterdir()} == {
        "a": "3",
        "z": "4",
        "mine": "stays",
    }
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("stuck", [("last", 1), ("first", 1), ("last", 2), ("first", 2)])
def test_a_folder_that_cannot_be_filled_is_as_it_was(tmp_path, monkeypatch, stuck):
    folder = tmp_path / "out"
    write_folder(folder, {"last": "old", "first": "old"}, last="last")
    replace, moved = type(folder).replace, []

    def once(self, target):
        assert self.name == "last" or not (folder / "last").exists()  # which vouches for the others
        moved.append(self.name)
        if self.name == stuck[0] and moved.count(self.name) == stuck[1]:
            monkeypatch.undo()
            raise OSError("no room")
        return replace(self, target)

    monkeypatch.setattr(type(folder), "replace", once)
    with pytest.raises(OSError, match="no room"):
        write_folder(folder, {"last": "new", "first": "new"}, last="last")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"last": "old", "first": "old"}


def test_half_a_character_is_replaced(tmp_path):
    write_folder(tmp_path / "out", {"a": "\ud800!"}, last="a")
    assert (tmp_path / "out" / "a").read_text() == "?!"


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "a").write_text("1")
    with pytest.raises(FileExistsError, match="with force=True"):
        check_free(tmp_path / "a", force=False)
    check_free(tmp_path / "a", force=True)
    with pytest.raises(FileExistsError, match="is a folder"):
        check_free(tmp_path, force=True)
    with pytest.raises(FileExistsError, match="with force=True"):
        check_folder_free(tmp_path, ["a"], force=False)
    check_folder_free(tmp_path, ["a"], force=True)
    with pytest.raises(FileExistsError, match="name a folder"):
        check_folder_free(tmp_path / "a", ["a"], force=True)


def test_a_folder_that_cannot_be_filled_is_found_before(tmp_path):
    (tmp_path / "o" / "a").mkdir(parents=True)
    with pytest.raises(FileExistsError, match="a is a folder, but a file is to be written there"):
        check_folder_free(tmp_path / "o", ["a"], force=True)
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsError, match="is a link to something that does not exist"):
        check_folder_free(tmp_path / "link", ["a"], force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError, match="file is a file; name a folder"):
        check_folder_free(tmp_path / "file" / "o", ["a"], force=False)
    check_folder_free(tmp_path / "new" / "newer", ["a"], force=False)
    assert sorted(names_in(tmp_path)) == ["file", "link", "o"]


def test_a_folder_that_is_there_is_filled_from_within(tmp_path, monkeypatch):
    """It may be the mount of another disk, to which nothing beside it can be moved."""
    (tmp_path / "out").mkdir()
    replace = type(tmp_path).replace

    def on_one_disk(self, target):
        if (tmp_path / "out" in self.parents) != (tmp_path / "out" in target.parents):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return replace(self, target)

    monkeypatch.setattr(type(tmp_path), "replace", on_one_disk)
    write_folder(tmp_path / "out", {"a": "1", "z": "2"}, last="z")
    assert sorted(names_in(tmp_path / "out")) == ["a", "z"]


def test_an_error_names_what_was_asked_for(tmp_path, monkeypatch):
    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("qpfs.files.settle", full)
    for write in (
        lambda: write_whole(tmp_path / "a.txt", "1"),
        lambda: write_folder(tmp_path / "out", {"a": "1"}, last="a"),
    ):
        with pytest.raises(OSError, match=r"cannot be written \(No space left on device\): '.*/(a.txt|out)'"):
            write()
    assert names_in(tmp_path) == []
