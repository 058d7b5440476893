"""Links to lines of source."""

import pytest

from checker.report.presentable import source_link, web_address


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/acme/orders.git", "https://github.com/acme/orders"),
        ("https://user:secret@github.com/acme/orders", "https://github.com/acme/orders"),
        ("git@github.com:acme/orders.git", "https://github.com/acme/orders"),
        ("ssh://git@git.acme.com:2222/team/sub/orders.git", "https://git.acme.com/team/sub/orders"),
        ("https://gitlab.com/team/sub/orders/", "https://gitlab.com/team/sub/orders"),
        ("/srv/git/orders.git", None),
        ("../orders", None),
        ("file:///srv/orders", None),
        ("javascript:alert(1)//x/y", None),
        ("", None),
        (None, None),
    ],
)
def test_pages_of_remotes(remote: str | None, page: str | None) -> None:
    assert web_address(remote) == page


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/blob/c0/src/A%20%23.java#L7"),
        ("https://gitlab.acme.com/a/b", "https://gitlab.acme.com/a/b/-/blob/c0/src/A%20%23.java#L7"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/src/c0/src/A%20%23.java#lines-7"),
    ],
)
def test_lines(page: str, link: str) -> None:
    report = {"repository_url": page, "base": {"commit": None}, "head": {"commit": "c0"}}
    location = {"file": "src/A #.java", "line": 7, "column": 1}
    assert source_link(report, location, "head") == link
    assert source_link(report, location, "base") is None
    assert source_link(report, None, "head") is None
