#!/usr/bin/env bash
# The numbers and names of runtime/hip_errors.def against the installed HIP library's own.
set -u
cd "$(dirname "$0")/../.." || exit 1
python3 - runtime/hip_errors.def <<'END'
import ctypes, re, sys
for version in (7, 6, 5):
    try:
        hip = ctypes.CDLL("libamdhip64.so.%d" % version)
        break
    except OSError:
        pass
else:
    print("skip HIP's error names: no HIP library (Debian: libamdhip64-5)")
    sys.exit(77)
hip.hipGetErrorName.restype = ctypes.c_char_p
rows = re.findall(r"^HIP_ERROR\((\d+), *(\w+),", open(sys.argv[1]).read(), re.M)
wrong = ["%s is %s" % (n, hip.hipGetErrorName(int(n)).decode()) for n, name in rows if hip.hipGetErrorName(int(n)) != name.encode()]
print("not ok HIP's error names: " + "; ".join(wrong) if wrong or not rows else "ok HIP's error names: %d of version %d" % (len(rows), version))
sys.exit(bool(wrong))
END
