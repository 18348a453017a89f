"""What universal-ctags finds in the files whose paths come in, one a line.

    ctags.py c|cpp|rust|csharp|ruby|php [kind …]

Printed is one JSON line for each declaration, with the line of its NAME for the
start; kinds are those of ctags, and without any all are printed. What ctags
makes up a name for is left out, and so is what the functions below say that it
reads wrongly; how much that is goes to the standard error.
"""

import collections
import json
import os
import re
import subprocess
import sys

NAMES = {"c": "C", "cpp": "C++", "rust": "Rust", "csharp": "C#", "ruby": "Ruby", "php": "PHP", "java": "Java", "go": "Go"}
MORE_KINDS = {"c": ["--kinds-C=+p"], "cpp": ["--kinds-C++=+p"]}


def tags(language, paths):
    name = NAMES[language]
    command = ["ctags", "--options=NONE", "--languages=" + name, "--language-force=" + name, "--output-format=json",
               "--fields=+neKsSZ", "--sort=no", "-f", "-", "-L", "-"] + MORE_KINDS.get(language, [])
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    run = subprocess.run(command, input="\n".join(paths).encode() + b"\n", stdout=subprocess.PIPE, check=True, env=environment)
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            yield tag


class Lost:
    """Files in which ctags lost its way: by its word a function whose first line
    begins in the first column goes on after a closing bracket in the first
    column. Such a function has swallowed others, which ctags then does not
    have."""

    def __init__(self):
        self.files = set()
        self.lines = {}

    def within(self, tag):
        path = tag["path"]
        if path in self.files:
            return True
        if path not in self.lines:
            with open(path, "rb") as file:
                self.lines[path] = file.read().split(b"\n")
        lines = self.lines[path]
        start, end = tag["line"], tag.get("end", tag["line"])
        first = lines[start - 1][:1]
        if first.isalpha() and any(line.startswith(b"}") for line in lines[start - 1:end - 1]):
            self.files.add(path)
            return True
        return False


class Layout:
    """Where declarations end in code that is laid out by rustfmt, of which ctags
    says nothing for Rust: with the first line that ends with a semicolon or a
    bracket that closes; if one comes first that ends with a bracket that opens,
    with the next line after it that has the indentation of the first and begins
    with a bracket that closes."""

    def __init__(self):
        self.path, self.lines = None, []

    def end(self, path, start, kind):
        if path != self.path:
            with open(path, "rb") as file:
                self.path, self.lines = path, file.read().decode("utf-8", "replace").split("\n")
        first = start - 1
        while kind == "implementation" and first > 0 and not re.match(r"\s*(unsafe )?impl\b", self.lines[first]):
            first -= 1
        indentation = re.match(r"\s*", self.lines[first]).group()
        for number in range(start - 1, len(self.lines)):
            line = code(self.lines[number])
            if line.endswith((";", "}", "},")):
                return number + 1
            if line.endswith("{"):
                break
        for number in range(number + 1, len(self.lines)):
            if self.lines[number].startswith(indentation + "}"):
                return number + 1
        return None


def code(line):
    return re.sub(r"\s*//.*$|\s+$", "", line)


def main():
    language, kinds = sys.argv[1], set(sys.argv[2:])
    paths = sys.stdin.read().split("\n")
    left_out = collections.Counter()
    lost, layout = Lost(), Layout()
    out = []
    for tag in tags(language, [path for path in paths if path]):
        if language in ("c", "cpp") and tag["kind"] == "function" and lost.within(tag):
            continue
        if kinds and tag["kind"] not in kinds:
            continue
        why = doubtful(language, tag)
        if why:
            left_out[why] += 1
            continue
        start = tag["line"]
        end = tag.get("end", start)
        if language == "rust":
            end = layout.end(tag["path"], start, tag["kind"])
            if end is None:
                left_out["whose end the layout does not show"] += 1
                continue
        out.append(json.dumps({"file": tag["path"], "kind": tag["kind"], "name": tag["name"], "start": start, "end": end}))
    for path in sorted(lost.files):
        out.append(json.dumps({"file": path, "error": True}))
    print("\n".join(out))
    print(f"left out: {len(lost.files)} files in which ctags lost its way", file=sys.stderr)
    for why, count in sorted(left_out.items()):
        print(f"left out: {count} {why}", file=sys.stderr)


def doubtful(language, tag):
    """Why a tag is not to be relied on, or nothing."""
    if tag["name"].startswith("__anon"):
        return "without a name"
    return None


main()
