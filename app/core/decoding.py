"""From bytes to text, whatever editor or terminal wrote them."""


def decode_text(content: bytes) -> str:
    """Decode what editors and terminals of all systems write; never fails."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")
