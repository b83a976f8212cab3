#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for arithmetic, conversions and subscripts that a value from outside could make trap (docs/testing.md).

    scripts/lib/foreign_values.py           checks the tree; exit code 1 when something is found
    scripts/lib/foreign_values.py --edges   prints the files that are looked at

A file is looked at when it reads what a server, client, app, file, clock or the kernel says: it says so by what it
calls (READS), or stands in RULES, since it computes with what others have read. In such a file each of these needs a
checked form, or a reason: on its line, or on a line of
its own above, where it holds up to the next empty line or the end of the block:

    let end = start + count  // checked: both are lengths of one buffer

Lines that were looked through when this was written stand in foreign_values_reviewed.txt, below why they cannot trap. A
line that is changed has to be looked at anew.
"""

import pathlib
import re
import sys

REVIEWED = pathlib.Path(__file__).with_name("foreign_values_reviewed.txt")
ROOT = pathlib.Path(__file__).resolve().parents[2]
# What only others' programs run: the emulator serves tests, and the support of tests is a test.
LEFT_OUT = ("Sources/DropboxEmulator", "Sources/OffstageTestSupport")

# What a file does that reads foreign values.
READS = re.compile(
    r"""\bJSONDecoder\(|\bForeignJSON\.(decode|decoder|storeDecoder)\b|\bWireCoding\.decode
        |\b(recv|recvmsg|recvfrom|pread|readlink|getline|getdelim)\(
        |\bsqlite3_column|\bPQgetvalue\(|\b(row|rows|statement|select)\.(integer|double|text|data|bytes)\(
        |\bnlmsg|\bnetlink_|\bSmallFile\.|contentsOfFile:|\bCURLINFO_|\bcurl_getdate
        |\bstrto(l|ll|ul|ull|d)\(|\.st_(size|mtim|ino)\b|\bstatvfs\(\)|\bf_bavail\b""",
    re.X,
)
# Rules that compute with what others have read.
RULES = {
    "Sources/OffstageCore/Accounts/AccountTokens.swift",
    "Sources/OffstageCore/Apps/LaunchBackoff.swift",
    "Sources/OffstageCore/DeferredWork/TaskReason+Wording.swift",
    "Sources/OffstageCore/DeferredWork/TaskEnding+Wording.swift",
    "Sources/OffstageCore/Fleet/FleetGrant.swift",
    "Sources/OffstageCore/Fleet/FleetLabels.swift",
    "Sources/OffstageCore/Fleet/FleetPace.swift",
    "Sources/OffstageCore/Fleet/FleetPolicy.swift",
    "Sources/OffstageCore/Fleet/FleetRecord.swift",
    "Sources/OffstageCore/Fleet/FleetRow.swift",
    "Sources/OffstageCore/Fleet/FleetStanding+Reading.swift",
    "Sources/OffstageCore/Fleet/FleetStanding+Wording.swift",
    "Sources/OffstageCore/Fleet/FleetText.swift",
    "Sources/OffstageCore/Fleet/MemberLease.swift",
    "Sources/OffstageCore/Network/IPAddress.swift",
    "Sources/OffstageCore/Pieces/ByteSpans.swift",
    "Sources/OffstageCore/Pieces/PieceSchedule+Results.swift",
    "Sources/OffstageCore/Pieces/PieceSchedule+Sources.swift",
    "Sources/OffstageCore/Pieces/PieceSchedule.swift",
    "Sources/OffstageCore/Pieces/PieceSources.swift",
    "Sources/OffstageCore/Receipts/TransferReceipt+Comparison.swift",
    "Sources/OffstageCore/Schedule/BandwidthShares.swift",
    "Sources/OffstageCore/Sessions/JournalLife.swift",
    "Sources/OffstageCore/Sessions/ProcessIdentity.swift",
    "Sources/OffstageCore/Time/Deadline.swift",
    "Sources/OffstageCore/Time/Moment.swift",
    "Sources/OffstageCore/Transfers/AttemptEnd.swift",
    "Sources/OffstageCore/Transfers/AuthenticationOffer.swift",
    "Sources/OffstageCore/Transfers/CollectionMaking.swift",
    "Sources/OffstageCore/Transfers/ContentDisposition.swift",
    "Sources/OffstageCore/Transfers/FileIdentity.swift",
    "Sources/OffstageCore/Transfers/FormBody+Validation.swift",
    "Sources/OffstageCore/Transfers/PartialDownload.swift",
    "Sources/OffstageCore/Transfers/PastAttempts.swift",
    "Sources/OffstageCore/Transfers/RangeDecision.swift",
    "Sources/OffstageCore/Transfers/RateMeter.swift",
    "Sources/OffstageCore/Transfers/RequestBody.swift",
    "Sources/OffstageCore/Transfers/ResponseHead.swift",
    "Sources/OffstageCore/Transfers/RetryPolicy.swift",
    "Sources/OffstageCore/Transfers/SafeFileName.swift",
    "Sources/OffstageCore/Transfers/String+Duration.swift",
    "Sources/OffstageCore/Transfers/Transfer+Events.swift",
    "Sources/OffstageCore/Transfers/StatusText.swift",
    "Sources/OffstageCommands/Arguments/IDArguments.swift",
    "Sources/OffstageCommands/Arguments/PointInTime.swift",
    "Sources/OffstageCommands/Arguments/Quantity.swift",
    "Sources/OffstageCommands/Output/Format.swift",
    "Sources/OffstageProtocol/FrameDecoder.swift",
    "Sources/OffstageProtocol/Sessions/JournalRecord.swift",
    "Sources/OffstageProtocol/Sessions/SessionTaskPage.swift",
    "Sources/OffstageTransfers/Curl/Allowance.swift",
    "Sources/OffstageTransfers/Curl/BodyDecoder.swift",
    "Sources/OffstageTransfers/Curl/CurlAttempt+Decoding.swift",
    "Sources/OffstageTransfers/Curl/HeadCollector.swift",
    "Sources/OffstageTransfers/Curl/InflateStage.swift",
    "Sources/OffstageTransfers/Dialects/ChunkSize.swift",
    "Sources/OffstageTransfers/Dialects/KeptUpload.swift",
    "Sources/OffstageTransfers/Dialects/Dropbox/DropboxError.swift",
    "Sources/OffstageTransfers/Dialects/Dropbox/DropboxFile.swift",
    "Sources/OffstageTransfers/Dialects/Dropbox/DropboxUpload+Answers.swift",
    "Sources/OffstageTransfers/Dialects/Dropbox/DropboxUpload+Recovery.swift",
    "Sources/OffstageTransfers/Dialects/GCS/GCSError.swift",
    "Sources/OffstageTransfers/Dialects/GCS/GCSObject.swift",
    "Sources/OffstageTransfers/Dialects/GCS/GCSUpload+Answers.swift",
    "Sources/OffstageTransfers/Dialects/GCS/GCSUpload.swift",
    "Sources/OffstageTransfers/Dialects/Resumable/ResumableUpload+Answers.swift",
    "Sources/OffstageTransfers/Dialects/Resumable/ResumableUpload.swift",
    "Sources/OffstageTransfers/Dialects/Resumable/UploadLimits.swift",
    "Sources/OffstageTransfers/Dialects/Tus/TusServer.swift",
    "Sources/OffstageTransfers/Dialects/Tus/TusUpload+Answers.swift",
    "Sources/OffstageTransfers/Dialects/Tus/TusUpload.swift",
    "Sources/OffstageTransfers/Inquiries/AddressInquiry.swift",
    "Sources/OffstageTransfers/Inquiries/DropboxInquiry.swift",
    "Sources/OffstageTransfers/Receipts/StoredObject+Making.swift",
    "Sources/OffstageWork/Machine/Network/BusMessage.swift",
}
# The one file that may make a decoder.
DECODERS = "Sources/OffstageCore/ForeignValues/ForeignJSON.swift"

CHECKED_LABELS = "clamping|exactly|truncatingIfNeeded|bitPattern|digits|nearest|ascii|bigEndian|littleEndian|radix"
INTEGER = r"(?:U?Int(?:8|16|32|64)?|off_t|size_t|time_t|pid_t|curl_off_t)"
# A conversion of anything but a constant, or of how many there are of something.
CONVERSION = re.compile(
    rf"(?<![\w.]){INTEGER}\((?!\s*(?:{CHECKED_LABELS}):|\)|[A-Z_0-9]+(?:\.rawValue)?(?:\s*\|[^)]*)?\)|[\w.?$]*\.count\)|\"\"\))"
)
ARITHMETIC = re.compile(r"(?<=[\w)\]]) (?:[-+*/%]|<<|[-+*/%]=|<<=) (?=[\w($\[.-])")
# One that counts: a key of a dictionary does not trap.
PLACE = r"\b(?:index|offset|position|start|begin|end|place|count|i|n|at|first|last|slot|cursor|[a-z]\w*(?:Index|Offset|Start|End|Position))\b"
SUBSCRIPT = re.compile(rf"(?<=[\w)\]?])\[(?!\.\.\.\])(?=[^\[\]\"]*(?:\.\.<|\.\.\.| [-+*/%&] |<<|>>|{PLACE}(?!:)|^\d|\[\d))[^\[\]]*\]|(?<=[\w)\]?])\[\d+\]")
REMOVAL = re.compile(r"\.(?:removeFirst|removeLast)\(|\.index\(|\boffsetBy:")
# Two ends that are not both written down: the first may be behind the second.
RANGE = re.compile(r"(?<=[\w)\]])\s?(?:\.\.<|\.\.\.)\s?(?=[\w(])")
KINDS = [
    (CONVERSION, "a conversion: use init(exactly:), (clamping:), (digits:) or (nearest:)"),
    (ARITHMETIC, "arithmetic: use a type of ForeignValues, addingClamped or …ReportingOverflow"),
    (SUBSCRIPT, "a subscript"),
    (REMOVAL, "an index or removal that wants an element to be there"),
    (RANGE, "a range of two values"),
]
MARKER = re.compile(r"//+ ?[Cc]hecked: \S")


def code_of(line):
    """The line without texts and comments; `""` stands for a text."""
    result, index, in_text = [], 0, False
    while index < len(line):
        character = line[index]
        if in_text:
            if character == "\\":
                index += 1
            elif character == '"':
                in_text = False
                result.append('"')
        elif character == '"':
            in_text = True
            result.append('"')
        elif line.startswith("//", index):
            break
        else:
            result.append(character)
        index += 1
    return "".join(result)


def cannot_trap(code, match):
    """Whether it is about texts, lists or floating point, or a counter that goes one on."""
    before, after = code[: match.start()].rstrip(), code[match.end() :].lstrip()
    return (
        re.search(r"\b[\d_]+$", before) and re.match(r"[\d_]+\b", after)
        or before.endswith(('"', "]")) and not before.endswith("0]")
        or after.startswith(('"', "["))
        or re.match(r"\d[\d_]*\.\d", after)
        or re.search(r"\d\.\d+$", before)
        or re.search(r"\bDouble\(|\.(seconds|milliseconds)\(|\.utf8\b|ContinuousClock|TimeInterval|uptime", code)
        or "=" in match.group() and re.match(r"1\b", after)
    )


def findings(path, text):
    covered = None
    in_long_text = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        indentation = len(line) - len(line.lstrip())
        if '"""' in line:
            if line.count('"""') == 1:
                in_long_text = not in_long_text
            continue
        if in_long_text:
            continue
        if covered is not None and (not stripped or indentation < covered):
            covered = None
        if MARKER.search(line):
            if stripped.startswith("//"):
                covered = indentation
            continue
        if covered is not None or stripped.startswith("//"):
            continue
        code = code_of(line)
        if re.match(r"\s*(case |import |@|package import|extension |struct |final class |enum )", code) and "=" not in code:
            continue
        for pattern, what in KINDS:
            for match in pattern.finditer(code):
                if pattern is ARITHMETIC and cannot_trap(code, match):
                    continue
                if pattern is RANGE and re.search(r"\d$", code[: match.start()]) and re.match(r"[\d(]", code[match.end() :]):
                    continue
                yield number, what, stripped
                break


def reviewed():
    """By file, the lines that were looked through, without indentation."""
    lines, name = {}, None
    for line in REVIEWED.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            lines[name].add(line.strip())
        else:
            name = line.strip()
            lines.setdefault(name, set())
    return lines


# Lines that must be found, and lines that must not: a lint that finds nothing is no lint.
BAD = (
    "return .write(from: offset, total: range.total ?? range.last + 1)",
    "if let totalBytes { offset = min(offset, totalBytes - 1) }",
    "let length = Int32(value)",
    "let count = Int(seconds)",
    "crashes *= factor",
    "let part = bytes[start..<end]",
    "let byte = bytes[index]",
    "let first = parts[0]",
    "for task in first...last {",
    "let bit = 1 << shift",
    "let last = bytes.removeLast()",
)
GOOD = (
    "let length = Int32(clamping: value)",
    "let end = start + count  // checked: both are lengths of one buffer",
    "let transfer = live[id]",
    'let text = name + ".part"',
    "let limit = 1 << 20",
    "attempts += 1",
    "let sum = first.addingReportingOverflow(second)",
    "/// From first + 1 to last - 1.",
    "let count = Int64(bytes.count)",
    "let numbers: [UInt8] = []",
)


def itself():
    """What the lint gets wrong about its own samples."""
    for line in BAD:
        if not list(findings("a sample", line)):
            yield f"This was not found: {line}"
    for line in GOOD:
        if list(findings("a sample", line)):
            yield f"This was found, and is good: {line}"
    marked = "    // checked: the frame is whole\n    let a = b[start..<end]\n    let c = d + e\n\n    let f = g + h"
    if [number for number, _, _ in findings("a sample", marked)] != [5]:
        yield "A marker on a line of its own covers what follows up to an empty line."


def files():
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        name = str(path.relative_to(ROOT))
        if not name.startswith(LEFT_OUT):
            yield name, path.read_text()


def unfuzzed():
    """Requests that a client may send and the fuzzer's target does not name."""
    target = (ROOT / "Tests/Fuzz/Targets/WireRequestTarget.swift").read_text()
    for name, text in files():
        if name.startswith("Sources/OffstageProtocol/"):
            # One that is encoded already is another's.
            for request in re.findall(r"^package struct (\w+): (?:\w+, )*WireRequest(?:, (?!EncodedPayload)\w+)* \{", text, re.M):
                if f"check({request}.self," not in target:
                    yield request


def main():
    bad = 0
    present = set()
    known = reviewed()
    for mistake in itself():
        print(mistake)
        bad += 1
    for name, text in files():
        present.add(name)
        plain = "\n".join(code_of(line) for line in text.splitlines())
        if re.search(r"\bJSONDecoder\(", plain) and name != DECODERS:
            print(f"{name}: makes a decoder of its own; use ForeignJSON, which checks dates and ranges.")
            bad += 1
        if name not in RULES and not READS.search(plain):
            continue
        if "--edges" in sys.argv:
            print(name)
            continue
        for number, what, line in findings(name, text):
            if line in known.get(name, ()):
                continue
            print(f"{name}:{number}: {what}\n    {line}")
            bad += 1
    for name in sorted(RULES - present):
        print(f"{name} stands in RULES of scripts/lib/foreign_values.py and is not there.")
        bad += 1
    for name in unfuzzed():
        print(f"Tests/Fuzz/Targets/WireRequestTarget.swift: {name} is a request that the fuzzer does not read.")
        bad += 1
    if bad:
        print(f"{bad} places where a value from outside may trap: use a checked form, or say why it cannot (// checked: …).")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
