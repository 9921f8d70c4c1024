//! What programs access by name: the built-in variables and the subroutines.

use engine_abi::codes;

codes! {
    /// A built-in variable.
    Builtin: u32, word {
        /// `arg0` to `arg9`, `args[]`: the probe's arguments, indexed from 0.
        Arg = 0x00 "arg",
        /// `uregs[]`: the process's registers, by index.
        Uregs = 0x01 "uregs",
        /// Nanoseconds of the monotonic clock.
        Timestamp = 0x02 "timestamp",
        /// Nanoseconds for which the thread has run on a CPU.
        Vtimestamp = 0x03 "vtimestamp",
        /// Nanoseconds since 1970.
        Walltimestamp = 0x04 "walltimestamp",
        /// The CPU's number.
        Cpu = 0x05 "cpu",
        /// The probe's ID.
        Id = 0x06 "id",
        /// The enabled probe's ID.
        Epid = 0x07 "epid",
        /// The probe's provider.
        Probeprov = 0x08 "probeprov",
        /// The probe's module.
        Probemod = 0x09 "probemod",
        /// The probe's function.
        Probefunc = 0x0a "probefunc",
        /// The probe's name.
        Probename = 0x0b "probename",
        /// The process ID.
        Pid = 0x0c "pid",
        /// The thread ID.
        Tid = 0x0d "tid",
        /// The parent's process ID.
        Ppid = 0x0e "ppid",
        /// The process's real user ID.
        Uid = 0x0f "uid",
        /// The process's real group ID.
        Gid = 0x10 "gid",
        /// The name of the program that the process runs.
        Execname = 0x11 "execname",
        /// The address of the kernel's task structure.
        Curthread = 0x12 "curthread",
        /// The error number of the last system call.
        Errno = 0x13 "errno",
        /// The return address of the probed function.
        Caller = 0x14 "caller",
        /// The number of frames on the kernel stack.
        Stackdepth = 0x15 "stackdepth",
        /// The second frame of the user stack.
        Ucaller = 0x16 "ucaller",
        /// The number of frames on the user stack.
        Ustackdepth = 0x17 "ustackdepth",
        /// What this CPU's copy of a per-CPU variable is behind the variable's address.
        Cpuoffset = 0x18 "cpuoffset",
    }
}

impl Builtin {
    /// Whether it is a string.
    pub const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Probeprov | Self::Probemod | Self::Probefunc | Self::Probename | Self::Execname
        )
    }

    /// Whether it is the same at every firing of a probe of one process.
    pub const fn is_of_probe(self) -> bool {
        matches!(
            self,
            Self::Id
                | Self::Epid
                | Self::Probeprov
                | Self::Probemod
                | Self::Probefunc
                | Self::Probename
        )
    }

    /// Whether it takes an index.
    pub const fn is_indexed(self) -> bool {
        matches!(self, Self::Arg | Self::Uregs)
    }
}

codes! {
    /// A subroutine. Its arguments are scalars, pushed in order; a string is passed by its address.
    /// A result that is an address is in scratch memory, on the heap, or in a string argument.
    Subroutine: u32, word {
        /// `rand()`: an unpredictable number.
        Rand = 0x00 "rand",
        /// `copyin(address, size)`: user memory, copied to the heap.
        Copyin = 0x01 "copyin",
        /// `copyinstr(address[, size])`: a string in user memory.
        Copyinstr = 0x02 "copyinstr",
        /// `copyinto(address, size, to)`: user memory, to the heap.
        Copyinto = 0x03 "copyinto",
        /// `alloca(size)`: memory of the heap, zeroed.
        Alloca = 0x04 "alloca",
        /// `bcopy(from, to, size)`: to the heap.
        Bcopy = 0x05 "bcopy",
        /// `strlen(text)`: its length without the NUL.
        Strlen = 0x06 "strlen",
        /// `strjoin(one, other)`: their concatenation.
        Strjoin = 0x07 "strjoin",
        /// `substr(text, index[, length])`: a substring; a negative index counts from the end.
        Substr = 0x08 "substr",
        /// `strchr(text, character)`: the rest from the first such character, or 0.
        Strchr = 0x09 "strchr",
        /// `strrchr(text, character)`: the rest from the last such character, or 0.
        Strrchr = 0x0a "strrchr",
        /// `strstr(text, part)`: the rest from the first occurrence, or 0.
        Strstr = 0x0b "strstr",
        /// `index(text, part[, start])`: the position of the first occurrence, or -1.
        Index = 0x0c "index",
        /// `rindex(text, part[, start])`: the position of the last occurrence, or -1.
        Rindex = 0x0d "rindex",
        /// `strtok(text, separators)`: the first token; with 0 as the text, the next token of the
        /// previous one of the firing, or 0.
        Strtok = 0x0e "strtok",
        /// `lltostr(number[, base])`: its digits.
        Lltostr = 0x0f "lltostr",
        /// `basename(path)`: the part after the last slash.
        Basename = 0x10 "basename",
        /// `dirname(path)`: the part before it.
        Dirname = 0x11 "dirname",
        /// `speculation()`: a free speculation, or 0.
        Speculation = 0x12 "speculation",
        /// `htons(number)`: 16 bits in the byte order of the network.
        Htons = 0x13 "htons",
        /// `htonl(number)`: 32 bits.
        Htonl = 0x14 "htonl",
        /// `htonll(number)`: 64 bits.
        Htonll = 0x15 "htonll",
        /// `ntohs(number)`: 16 bits in the byte order of the processor.
        Ntohs = 0x16 "ntohs",
        /// `ntohl(number)`: 32 bits.
        Ntohl = 0x17 "ntohl",
        /// `ntohll(number)`: 64 bits.
        Ntohll = 0x18 "ntohll",
        /// `getmajor(device)`: its major number.
        Getmajor = 0x19 "getmajor",
        /// `getminor(device)`: its minor number.
        Getminor = 0x1a "getminor",
        /// `strtoll(text[, base])`: the number that it begins with.
        Strtoll = 0x1b "strtoll",
        /// `tolower(text)`: the same in lower case.
        Tolower = 0x1c "tolower",
        /// `toupper(text)`: the same in upper case.
        Toupper = 0x1d "toupper",
        /// `cleanpath(path)`: the same without redundant components.
        Cleanpath = 0x1e "cleanpath",
        /// `json(text, path)`: an element of a JSON text, or 0.
        Json = 0x1f "json",
        /// `inet_ntoa(address)`: the IPv4 address there.
        InetNtoa = 0x20 "inet_ntoa",
        /// `inet_ntoa6(address)`: the IPv6 address there.
        InetNtoa6 = 0x21 "inet_ntoa6",
        /// `inet_ntop(family, address)`: the address of that family there.
        InetNtop = 0x22 "inet_ntop",
        /// `link_ntop(type, address)`: the address of that type of hardware there.
        LinkNtop = 0x23 "link_ntop",
        /// `progenyof(pid)`: whether the current process is that one or a descendant of it.
        Progenyof = 0x24 "progenyof",
        /// `raise(signal)`: sends it to the current process.
        Raise = 0x25 "raise",
        /// `stop()`: stops the current process.
        Stop = 0x26 "stop",
        /// `copyout(from, address, size)`: to user memory.
        Copyout = 0x27 "copyout",
        /// `copyoutstr(text, address, most)`: a string with its NUL, at most so many bytes of it.
        Copyoutstr = 0x28 "copyoutstr",
        /// `chill(nanoseconds)`: spins for so long.
        Chill = 0x29 "chill",
        /// `panic()`: panics the kernel.
        Panic = 0x2a "panic",
        /// `breakpoint()`: enters the kernel's debugger.
        Breakpoint = 0x2b "breakpoint",
    }
}

impl Subroutine {
    /// The minimum and maximum number of arguments.
    pub const fn arguments(self) -> (u8, u8) {
        match self {
            Self::Rand | Self::Speculation | Self::Stop | Self::Panic | Self::Breakpoint => (0, 0),
            Self::Copyinstr | Self::Lltostr | Self::Strtoll => (1, 2),
            Self::Copyin
            | Self::Strjoin
            | Self::Strchr
            | Self::Strrchr
            | Self::Strstr
            | Self::Strtok
            | Self::Json
            | Self::InetNtop
            | Self::LinkNtop => (2, 2),
            Self::Substr | Self::Index | Self::Rindex => (2, 3),
            Self::Copyinto | Self::Bcopy | Self::Copyout | Self::Copyoutstr => (3, 3),
            _ => (1, 1),
        }
    }

    /// The maximum number of arguments of any subroutine.
    pub const ARGUMENTS_MAX: u8 = 3;

    /// Whether its result is an address, or 0.
    pub const fn is_address(self) -> bool {
        !matches!(
            self,
            Self::Rand
                | Self::Strlen
                | Self::Index
                | Self::Rindex
                | Self::Speculation
                | Self::Bcopy
                | Self::Copyinto
                | Self::Strtoll
                | Self::Progenyof
        ) && !self.is_computation()
            && !self.is_destructive()
    }

    /// Whether it changes the system: only a program that is declared to be destructive may call it.
    /// It gives 0.
    pub const fn is_destructive(self) -> bool {
        matches!(
            self,
            Self::Raise
                | Self::Stop
                | Self::Copyout
                | Self::Copyoutstr
                | Self::Chill
                | Self::Panic
                | Self::Breakpoint
        )
    }

    /// Whether it only computes a number from a number.
    pub const fn is_computation(self) -> bool {
        matches!(
            self,
            Self::Htons
                | Self::Htonl
                | Self::Htonll
                | Self::Ntohs
                | Self::Ntohl
                | Self::Ntohll
                | Self::Getmajor
                | Self::Getminor
        )
    }
}
