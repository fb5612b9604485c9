"""The frame around the probe's sections."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.hardware.fingerprint import UnknownReason
from app.core.hardware.frame import (
    CUT,
    TIMEOUT,
    decode_frames,
    encode_frames,
    is_complete,
    probe_input,
    read_boundary,
)
from app.core.hardware.recording import sections_from_recording
from app.core.hardware.section_book import SectionBook, section_reason
from app.core.hardware.sections import RawSection

B = "0123456789abcdef"


def section(name="df", code=0, stdout="", stderr=""):
    return RawSection(
        name=name, command=f"run {name}", exit_code=code, stdout=stdout, stderr=stderr
    )


@given(st.text(st.characters(exclude_characters="\r", codec="utf-8"), max_size=200))
def test_any_text_travels_unchanged(text):
    sections = (section("smi-csv", 3, text, "warning"), section("df", None, text))
    back = decode_frames(encode_frames(sections, B), B)
    assert [(s.name, s.command, s.stdout) for s in back] == [
        (s.name, s.command, s.stdout) for s in sections
    ]
    assert (back[0].exit_code, back[0].stderr) == (3, "warning")
    assert (back[1].exit_code, back[1].stderr) == (None, TIMEOUT)


@given(st.integers(min_value=0, max_value=700))
def test_a_cut_output_keeps_whole_sections_and_marks_the_last(length):
    whole = encode_frames([section("a-1", 0, "x" * 100), section("b-2", 0, "y" * 100)], B)
    back = decode_frames(whole[:length], B)
    for found in back:
        if found.exit_code is None:
            assert CUT in found.stderr
        else:
            assert found.exit_code == 0
    assert is_complete(whole, B)
    assert not is_complete(whole[:-5], B)


@given(st.binary(max_size=300))
def test_noise_never_raises(noise):
    decode_frames(noise)
    decode_frames(noise, B)
    decode_frames(b"#pitwall-probe 1 " + B.encode() + b"\n" + noise)


def test_a_forged_frame_of_another_boundary_is_content():
    forged = "#pitwall-ffffffffffffffff section df\n#pitwall-ffffffffffffffff status 0"
    (found,) = decode_frames(encode_frames([section("smi-L", 0, forged)], B), B)
    assert found.stdout == forged


def test_the_boundary_is_announced_or_given():
    output = b"Welcome!\r\n" + encode_frames([section()], B).replace(b"\n", b"\r\n")
    assert [s.name for s in decode_frames(output)] == ["df"]
    assert decode_frames(b"no probe") == ()
    assert read_boundary(probe_input(b"main", B)) == B
    assert read_boundary(b"main") is None


def test_odd_names_and_codes_are_not_believed():
    mark = f"#pitwall-{B}"
    lines = ("section ../etc", "status 0", "section ok", "status 9999", "status 0")
    text = "\n".join(f"{mark} {line}" for line in lines)
    assert [(s.name, s.exit_code) for s in decode_frames(text, B)] == [("ok", None)]


def test_recordings_become_sections():
    sections = sections_from_recording(
        {
            "README.txt": "words",
            "df.txt": "Filesystem",
            "df.rc": "0\n",
            "docker.txt": "",
            "docker.rc": "127",
            "docker.err": "No such file",
            "smi.txt": "by hand",
            "empty.txt": "",
            "notes.md": "x",
        }
    )
    assert [(s.name, s.exit_code) for s in sections] == [
        ("df", 0),
        ("docker", 127),
        ("empty", None),
        ("smi", 0),
    ]
    assert sections[1].stderr == "No such file"


def test_the_first_usable_section_of_a_name_counts():
    book = SectionBook([section("df", 1), section("df", 0, "rows"), section("df", 0, "later")])
    assert book.output("none", "df") == ("df", "rows")
    assert book.text("none") == ""
    assert book.why_not("none") is UnknownReason.NOT_ASKED


def test_every_way_to_fail_has_its_reason():
    assert section_reason(section(code=None)) is UnknownReason.TOOL_TIMEOUT
    assert section_reason(section(code=124)) is UnknownReason.TOOL_TIMEOUT
    assert section_reason(section(code=0)) is UnknownReason.NOT_REPORTED
    assert section_reason(section(code=127)) is UnknownReason.TOOL_MISSING
    assert section_reason(section(code=126, stderr="not found")) is UnknownReason.TOOL_MISSING
    assert section_reason(section(code=1, stderr="Permission denied")) is UnknownReason.NEEDS_ROOT
    assert section_reason(section(code=9)) is UnknownReason.TOOL_FAILED
    book = SectionBook([section("a", 127), section("b", 9)])
    assert book.why_not("a", "b") is UnknownReason.TOOL_FAILED
    assert book.why_not("a") is UnknownReason.TOOL_MISSING


def test_frame_lines_without_a_blank_line_between_them_are_whole():
    mark = "#pitwall-0123456789abcdef"
    text = (
        f"#pitwall-probe 1 0123456789abcdef\n{mark} section a\n{mark} command a\n{mark} stdout\nx\n"
        f"{mark} stderr\n{mark} status 3\n{mark} section b\n{mark} command b\n{mark} stdout\ny\n"
        f"{mark} stderr\n{mark} status 1"
    )
    first, second = decode_frames(text)
    assert (first.name, first.exit_code, first.stdout) == ("a", 3, "x")
    assert (second.name, second.exit_code) == ("b", None), "a cut status may be longer"
