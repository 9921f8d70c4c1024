//! The usage message.

/// The usage message, printed after the command's name.
pub const USAGE: &str = "\
[-32|-64] [-CeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]
\t[-I path] [-L path] [-o output] [-p pid] [-s script] [-U name]
\t[-x opt[=val]] [-X a|c|s|t]

\t[-P provider [[ predicate ] action ]]
\t[-m [ provider: ] module [[ predicate ] action ]]
\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]
\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]
\t[-i probe-id [[ predicate ] action ]] [ args ... ]

\tpredicate -> '/' D-expression '/'
\t   action -> '{' D-statements '}'

\t-32 check that the kernel's data model has 32 bits
\t-64 check that the kernel's data model has 64 bits

\t-b  set trace buffer size
\t-c  run specified command and exit upon its completion
\t-C  run cpp(1) preprocessor on script files
\t-D  define symbol when invoking preprocessor
\t-e  exit after compiling request but prior to enabling probes
\t-f  enable or list probes matching the specified function name
\t-F  coalesce trace output by function
\t-G  accepted, so that builds which link an object file for probes work: the
\t    headers of -h need none, and the one of -o is empty
\t-h  generate a C header with macros for the probes of the providers that a
\t    script defines: script.h, or the file of -o
\t-H  print included files when invoking preprocessor
\t-i  enable or list probes matching the specified probe id
\t-I  add include directory to preprocessor search path
\t-l  list probes matching specified criteria
\t-L  add library directory to library search path
\t-m  enable or list probes matching the specified module name
\t-n  enable or list probes matching the specified probe name
\t-o  set output file
\t-p  trace until the specified process exits; $target is its process-ID
\t-P  enable or list probes matching the specified provider name
\t-q  set quiet mode (only output explicitly traced data)
\t-s  enable or list probes according to the specified D script
\t-S  print D compiler intermediate code
\t-U  undefine symbol when invoking preprocessor
\t-v  set verbose mode (report clauses and their sizes; with -l, stability
\t    and arguments of probes)
\t-V  report DTrace API version
\t-w  permit destructive actions
\t-x  enable or modify compiler and tracing options
\t-X  specify ISO C conformance settings for preprocessor (no effect)
\t-Z  permit probe descriptions that match zero probes

\t--path     record each instruction that the command of -c executes, to a file
\t--report   report what --path has recorded, from its file
\t--show     what --report shows: summary, functions, branches,
\t           instructions[:FUNCTION], path, json or picture
\t--from, --to
\t           show the path between two points: an address, or a function,
\t           malloc, libc.so.6`malloc, or its third call malloc#3
\t--type     print the layout of a kernel type: 'struct bio', size_t,
\t           'struct mod`tag', or of a member: 'struct bio.bi_iter.bi_size'
\t--help     print this message
\t--version  report DTrace API version
";
