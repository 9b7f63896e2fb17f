"""`workindex audit`: a table for people, a document for programs, an exit code for both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workindex.assembler.audit import audit_files
from workindex.cli import main as entry

EXAMPLES = Path(__file__).parents[3] / "examples/requests"
ALL = sorted(EXAMPLES.iterdir())


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `workindex audit`."""
    with pytest.raises(SystemExit) as left:
        entry.main(["audit", *map(str, arguments)])
    told = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, told.out, told.err


def test_json_is_the_document_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    """One document, `format` first; every figure of the library is in it."""
    code, out, err = run(capsys, *ALL, "--json")
    found = json.loads(out)
    assert (code, err, next(iter(found))) == (0, "", "format")
    assert found == {"format": 1, **json.loads(json.dumps(audit_files(ALL).document()))}
    assert [one["shape"] for one in found["requests"]] == [
        "anthropic",
        "bedrock",
        "anthropic",
        "anthropic",
        "anthropic",
        "openai_chat",
        "openai_responses",
    ]


def test_people_see_the_parts_and_what_is_wasted(capsys: pytest.CaptureFixture[str]) -> None:
    """Kinds with shares, repeats, unused tools and the segment that breaks the prefix."""
    code, out, err = run(capsys, EXAMPLES / "conversation.ndjson", "--counter", "o200k_base")
    assert (code, err) == (0, "")
    for said in (
        "3 requests, 1,641 tokens: p50 553, p95 563, max 563",
        "counted by o200k_base; claude-opus-4-7",
        "tool_schema        15",
        "Sent again in later requests",
        "conversation.ndjson:2",
        "system[1]",
        "4 of 5 tools are not called in any of these requests",
    ):
        assert said in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_bound_is_called_one(capsys: pytest.CaptureFixture[str]) -> None:
    """What is no count says so, and why."""
    _, out, _ = run(capsys, EXAMPLES / "anthropic.json")
    assert "tokens, at most\ncounted by claude; claude-opus-4-7\n" in out
    assert "no text: 2 (document, image), 1,544 bytes; their tokens are estimates" in out
    assert "Sent twice inside one request: 265 tokens" in out


def test_a_bad_line_is_refused_and_the_others_are_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exit code 3, the place on stderr or in the document, figures for the rest."""
    chat = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    path = tmp_path / "mixed.ndjson"
    path.write_text(f'{chat}\n{{"a": 1}}\n')
    code, out, err = run(capsys, path)
    assert code == 3
    assert out.startswith("1 request, ")
    assert f"unknown_request: {path}, line 2: no request of" in err
    code, out, err = run(capsys, path, "--json")
    found = json.loads(out)
    assert (code, err, len(found["requests"])) == (3, "", 1)
    assert [one["code"] for one in found["refused"]] == ["unknown_request"]


def test_of_many_bad_lines_the_first_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The rest is a number; the document has them all."""
    path = tmp_path / "other.ndjson"
    path.write_text('{"a": 1}\n' * 15)
    code, out, err = run(capsys, path)
    assert (code, out, err.count("unknown_request:")) == (3, "", 12)
    assert err.endswith("and 3 more that hold no request; --json lists them all\n")
    assert len(json.loads(run(capsys, path, "--json")[1])["refused"]) == 15


@pytest.mark.parametrize("options", [["--counter", "none"], ["--block-tokens", "0"]])
def test_a_wrong_option_is_a_wrong_call(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    """Exit code 2, also for a file that is not there; the names that exist are told."""
    code, _, err = run(capsys, EXAMPLES / "bedrock.json", *options)
    assert code == 2
    assert "estimate" in err or "1" in err
    assert run(capsys, EXAMPLES / "gone.json")[0] == 2


def test_records_of_observed_calls_are_audited(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without any body the table has the same figures."""
    import workindex

    path = tmp_path / "observed.ndjson"
    call = workindex.observe(lambda **_: None, to=path)
    for line in (EXAMPLES / "conversation.ndjson").read_text(encoding="utf-8").splitlines():
        call(**json.loads(line))
    assert call.recording.flush(60)
    assert run(capsys, path)[0] == 0
    _, observed, _ = run(capsys, path, "--json")
    _, given, _ = run(capsys, EXAMPLES / "conversation.ndjson", "--json")
    for name in ("totals", "by_kind", "unused_tools"):
        assert json.loads(observed)[name] == json.loads(given)[name]
