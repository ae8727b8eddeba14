#!/usr/bin/env python3
"""Which PTX forms were executed with their results compared, on chips with waves of 64 and of 32.

    coverage.py [--brief] P2A RECORD...

RECORD is what tests write when P2A_COVER names a file (tests/e2e/cover.c); P2A the program, for its list of forms. Of every
form that is translated is wanted, on each wave size:
  * each combination of its types together with each alternative of each other modifier (absent, if it may be left out);
  * each way to write its operands: a pair or one result, a dropped result, a negated predicate, operands left out, selected
    bytes, signs;
and each special register. Immediates and registers are not told apart: tests fold by turns.
Prints what is wanted and was never executed; the exit status says whether there was any. --brief: only forms and registers
of which nothing was."""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TYPE = re.compile(r'([busf]\d+(x\d+)?|bf16(x2)?|tf32|pred|u?e\dm\d(x\d)?)$')

# What the table's patterns allow and PTX does not: form, types, alternative, reason. The front end or the manual refuses it.
NEVER = [
    (r'(ldu?|st)\.', r'b128$', r'v[248]', 'vectors are of up to 64 bits'),
    (r'(ld|st)\.', r'(?!.32)', r'v8', '.v8 is of 32 bits'),
    (r'setp?\.', r'(.*\.)?f64$', r'ftz', '.ftz is of f32'),
    (r'cvt\.', r'f64\.[us]|[us]\d+\.f64$', r'ftz', '.ftz is of f32'),
    (r'(mapa|getctarank)\.', r'u32$', r'', 'a generic address has 64 bits'),
]
WAVES = (64, 32)


def is_type(word):
    return TYPE.match(word) is not None


class Form:
    def __init__(self, pattern):
        self.pattern = pattern
        head, _, operands = pattern.partition(' ')
        self.groups, self.open = [], head.endswith('...')
        for m in re.finditer(r'\.(?:\{([^}]*)\}|([\w:]+))(\?)?', head.removesuffix('...')):
            words = (m[1] or m[2]).split(',')
            self.groups.append((words, m[3] is not None, is_type(words[0])))
        self.operands = [o for o in operands.split(', ') if o]

    def choices(self, i):
        words, optional, _ = self.groups[i]
        return words + [''] * optional

    def wanted(self):
        """Sets of (types, group, alternative), and (operand, way)."""
        types = [i for i, g in enumerate(self.groups) if g[2]]
        others = [i for i, g in enumerate(self.groups) if not g[2]]
        for t in itertools.product(*(self.choices(i) for i in types)):
            yield (t, None, '')
            for i in others:
                for a in self.choices(i):
                    if len(self.choices(i)) > 1 and not never(self.pattern, t, a):
                        yield (t, i, a)
        for k, o in enumerate(self.operands):
            for way in ways(o, k, self.operands):
                yield ('operand', k, way)

    def place(self, words):
        """The alternative of each group that a text has, as the front end places them."""
        took = [''] * len(self.groups)
        used = [False] * len(self.groups)
        for w in words:
            for i, (alternatives, optional, typed) in enumerate(self.groups):
                if used[i] or typed != is_type(w):
                    continue
                if w in alternatives:
                    used[i], took[i] = True, w
                    break
        return took

    def had(self, text, signs):
        took = self.place(text.split('.')[1:])
        t = tuple(took[i] for i, g in enumerate(self.groups) if g[2])
        yield (t, None, '')
        for i, g in enumerate(self.groups):
            if not g[2]:
                yield (t, i, took[i])
        for k, o in enumerate(self.operands):
            yield ('operand', k, way_of(o, signs[k] if k < len(signs) else None))
            if k < len(signs) and ('!' in o or ':-' in o):
                yield ('operand', k, 'negated' if signs[k][0] in '!-' else 'plain')


def never(pattern, types, alternative):
    return any(re.match(p, pattern) and re.match(t, '.'.join(types)) and re.fullmatch(a, alternative) for p, t, a, _ in NEVER)


def flags(operand):
    return re.sub(r'^[\w-]*(:[\w-]+)?', '', operand)


def ways(operand, k, all_operands):
    f = flags(operand)
    result = []
    if '|?' in f:
        result += ['one', 'pair']
    if '_' in f:
        result += ['dropped', 'pair' if '|' in f else 'one']
    if '!' in f or ':-' in operand:
        result += ['plain', 'negated']
    if '?' in f.replace('|?', '') or any('?' in flags(o).replace('|?', '') for o in all_operands[:k]):
        result += ['left out', 'there']
    if is_selectable(operand):
        result += ['selected'] if operand == 'd:part' else ['whole', 'selected']     # a merged result has a selector
    return result


def is_selectable(operand):
    return re.search(r':(-?part|halves|bytes|mask)', operand) is not None


def way_of(operand, sign):
    f = flags(operand)
    if sign is None:
        return 'left out'
    if '|' in sign:
        return 'pair' if not sign.startswith('_') else 'dropped'
    if sign == '_':
        return 'dropped'
    if is_selectable(operand):
        return 'selected' if re.search(r'\.[bh]\d', sign) else 'whole'
    if '|?' in f or '_' in f:
        return 'one'
    return 'there'


def show(form, missing):
    def text(w):
        if w[0] == 'operand':
            return f'operand {form.operands[w[1]].split(":")[0]}: {w[2]}'
        types = ''.join('.' + t for t in w[0])
        if w[1] is None:
            return types or 'at all'
        return f'{types} {"." + w[2] if w[2] else "without ." + "/".join(form.groups[w[1]][0])}'

    return '; '.join(sorted(map(text, missing)))


def special_registers(p2a):
    """Those that the program translates, of sregs.def."""
    table = pathlib.Path(__file__).resolve().parents[2] / 'translator/ptx/sregs.def'
    found = re.findall(r'PTX_SREG\(\w+, "(%\S+)", (\w+)\)', table.read_text())
    names = {name for name, _ in found}
    taken = set()
    with tempfile.TemporaryDirectory() as d:
        f = pathlib.Path(d) / 'sreg.ptx'
        for name, kind in found:
            vector = name + '.x' in names
            f.write_text('.version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p; .reg .b32 %a<4>; .reg .b64 %d;\n'
                         + (f'mov.v4.u32 {{%a0, %a1, %a2, %a3}}, {name};' if vector else
                            f'mov.{kind.lower()} {dict(PRED="%p", U64="%d").get(kind, "%a0")}, {name};') + '\nret;\n}\n')
            if not subprocess.run([p2a, 'compile', '--target=gfx90a', '-o', d + '/out', f], capture_output=True).returncode:
                taken.add(name)
    return taken


def main():
    brief = '--brief' in sys.argv
    p2a, *records = [a for a in sys.argv[1:] if a != '--brief']
    absent = [r for r in records if not pathlib.Path(r).exists()]
    if absent:
        print(f'skip coverage: no test has written {absent[0]}')
        return 77
    listed = json.loads(subprocess.run([p2a, 'ptx-forms', '--json'], capture_output=True, check=True).stdout)
    forms = {f['form']: Form(f['form']) for f in listed if f['translated']}
    sregs = special_registers(p2a)
    had = {(p, wave): set() for p in forms for wave in WAVES}
    read = {wave: set() for wave in WAVES}
    for name in records:
        for line in open(name):
            wave, text, pattern, signs = line.rstrip('\n').split('\t')
            signs = signs.split(',') if signs else []
            if pattern in forms:
                had[pattern, int(wave)].update(forms[pattern].had(text, signs))
            read[int(wave)].update(s[1:] for s in signs if s.startswith('s%'))
    count = len(WAVES) * len(sregs)
    gaps = []
    for p, form in forms.items():
        wanted = set(form.wanted())
        count += len(WAVES) * len(wanted)
        for w in WAVES:
            missing = wanted - had[p, w]
            if not had[p, w]:
                gaps.append(f'never on wave {w}: {p}')
            elif missing and not brief:
                gaps.append(f'on wave {w}: {p}: {show(form, missing)}')
    gaps += [f'never on wave {w}: {r}' for w in WAVES for r in sorted(sregs - read[w])]
    for g in gaps:
        print(f'not ok coverage {g}')
    if not gaps:
        print(f'ok coverage: {len(forms)} forms, {len(sregs)} special registers, {count} alternatives, each on waves of 64 and of 32')
    return 1 if gaps else 0


if __name__ == '__main__':
    sys.exit(main())
