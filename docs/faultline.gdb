# gdb commands for Faultline: source docs/faultline.gdb
#
# coro-bt EXPRESSION    backtrace of a suspended coroutine; EXPRESSION is a
#                       struct coro *, such as task->co
#
# The registers of a suspended coroutine lie on its own stack. The command
# puts them into the processor, prints the frames and puts the old ones back,
# so it needs a live process on x86-64; a core file's registers cannot be set.

python
import gdb

# Boost.Context 1.74, jump_x86_64_sysv_elf_gas.S: offsets from the saved stack
# pointer. Control words come first; behind the return address is the stack.
BOOST = {"r12": 8, "r13": 16, "r14": 24, "r15": 32, "rbx": 40, "rbp": 48,
         "rip": 56}
BOOST_FRAME = 64

# glibc, sys/ucontext.h: indices in uc_mcontext.gregs.
UCONTEXT = {"r12": 4, "r13": 5, "r14": 6, "r15": 7, "rbp": 10, "rbx": 11,
            "rsp": 15, "rip": 16}


def has_type(name):
    try:
        gdb.lookup_type(name)
        return True
    except gdb.error:
        return False


def saved_registers(coro):
    at = int(coro["context"]["at"])
    if has_type("struct context_hop"):
        word = gdb.lookup_type("unsigned long").pointer()
        regs = {name: int(gdb.Value(at + offset).cast(word).dereference())
                for name, offset in BOOST.items()}
        regs["rsp"] = at + BOOST_FRAME
        return regs
    uc = gdb.Value(at).cast(gdb.lookup_type("ucontext_t").pointer())
    return {name: int(uc["uc_mcontext"]["gregs"][index])
            for name, index in UCONTEXT.items()}


def set_registers(regs):
    for name, value in regs.items():
        gdb.execute("set $%s = %d" % (name, value), to_string=True)


class CoroBacktrace(gdb.Command):
    """Backtrace of a suspended coroutine: coro-bt EXPRESSION."""

    def __init__(self):
        super().__init__("coro-bt", gdb.COMMAND_STACK,
                         gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        coro = gdb.parse_and_eval(argument)
        if int(coro) == 0:
            raise gdb.GdbError("coro-bt: no coroutine")
        if int(coro["pool"]["current"]) == int(coro):
            raise gdb.GdbError("coro-bt: it is running: use bt")
        regs = saved_registers(coro)
        here = gdb.selected_frame()
        gdb.newest_frame().select()
        before = {name: int(gdb.parse_and_eval("(long)$" + name))
                  for name in regs}
        level = 0
        while here != gdb.newest_frame() and here.newer():
            here = here.newer()
            level += 1
        try:
            set_registers(regs)
            gdb.execute("bt")
        finally:
            gdb.execute("frame 0", to_string=True)
            set_registers(before)
            gdb.execute("frame %d" % level, to_string=True)


CoroBacktrace()
end
