"""Runs the console blocks of a Markdown file and compares what they print (see test_readme.sh).

Commands run in a scratch copy of nothing but links to the project, so that their files vanish with it;
build/p2a means the program under test, P2A. With --update the file is rewritten with the real output.
"""
import os
import re
import subprocess
import sys
import tempfile

path = sys.argv[1]
update = "--update" in sys.argv
root = os.getcwd()
with open(path, encoding="utf-8") as f:
    text = f.read()


def run(command, folder):
    result = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    return (result.stdout + result.stderr).rstrip("\n")


def block(match, folder):
    out, steps = [], re.split(r"^\$ ", match[1], flags=re.M)[1:]
    for step in steps:
        command, _, want = step.partition("\n")
        got = run(command, folder)
        out.append((command, want.rstrip("\n"), got))
    return out


failed = False
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(root, "examples"), os.path.join(folder, "examples"))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(os.environ["P2A"], os.path.join(folder, "build", "p2a"))

    def replace(match):
        global failed
        lines = []
        for command, want, got in block(match, folder):
            if want == got:
                print(f"ok {path}: {command[:60]}")
            elif not update:
                print(f"not ok {path}: {command[:60]}: it prints {got[:300]!r}")
                failed = True
            lines.append(f"$ {command}\n" + (got + "\n" if got else ""))
        return "```console\n" + "".join(lines) + "```"

    new = re.sub(r"```console\n(.*?)```", replace, text, flags=re.S)
if update:
    with open(path, "w", encoding="utf-8") as f:
        f.write(new)
sys.exit(failed)
