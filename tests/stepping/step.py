"""For gdb: steps from `sending` until `main` goes on, twice; prints each place as `at DEPTH FILE:LINE`, DEPTH being the
number of callers."""

import gdb

LIMIT = 5000


def place():
    frame = gdb.selected_frame()
    found = frame.find_sal()
    depth = -1
    while frame:
        depth += 1
        frame = frame.older()
    return f"{depth} {found.symtab.filename if found.symtab else '?'}:{found.line}"


gdb.execute("set pagination off")
gdb.execute("break sending")
gdb.execute("run", to_string=True)
for _ in range(2):
    gdb.execute("finish", to_string=True)
    gdb.execute("step", to_string=True)
    for _ in range(LIMIT):
        print(f"at {place()}")
        if gdb.selected_frame().name() == "main":
            break
        gdb.execute("step", to_string=True)
    gdb.execute("continue", to_string=True)
