//! The error tags: stable names for the kinds of error.

macro_rules! tags {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// The kind of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tag {
            $($(#[$doc])* $variant,)*
        }

        impl Tag {
            /// Every tag.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// What `-xerrtags` prints.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

tags! {
    /// A syntax error.
    Syntax = "D_SYNTAX",
    /// The text contains no clause.
    Empty = "D_EMPTY",
    /// A feature of the language that is not implemented.
    Unknown = "D_UNKNOWN",
    /// A type that is not defined.
    TypeErr = "D_TYPE_ERR",
    /// An action or an aggregating function within an expression.
    CgExpr = "D_CG_EXPR",
    /// An aggregation where a value is needed.
    CgDyn = "D_CG_DYN",
    /// An expression that needs more registers than there are.
    NoReg = "D_NOREG",
    /// A limit of the machine is exceeded: of a key, of a record, of code.
    Limit = "D_LIMIT",
    /// An invalid probe description.
    PdescInval = "D_PDESC_INVAL",
    /// A predicate that is neither a number nor a pointer.
    PredScalar = "D_PRED_SCALAR",
    /// A call of something that is not a name.
    FuncIdent = "D_FUNC_IDENT",
    /// A call of an undefined function.
    FuncUndef = "D_FUNC_UNDEF",
    /// A call of something that is not a function.
    FuncIdkind = "D_FUNC_IDKIND",
    /// `offsetof` of a type without members.
    OffsetofType = "D_OFFSETOF_TYPE",
    /// `offsetof` of a bit-field.
    OffsetofBitfield = "D_OFFSETOF_BITFIELD",
    /// A member that its type does not have.
    TypeMember = "D_TYPE_MEMBER",
    /// A member of a type without a definition.
    OpIncomplete = "D_OP_INCOMPLETE",
    /// An index of `args[]` that the clause's probes do not have.
    ArgsIdx = "D_ARGS_IDX",
    /// `args[]` where probes differ.
    ArgsMulti = "D_ARGS_MULTI",
    /// An argument that cannot be read as its type.
    ArgsType = "D_ARGS_TYPE",
    /// An argument that no translator makes.
    ArgsXlator = "D_ARGS_XLATOR",
    /// A symbol of the kernel where there is none to ask.
    SymNotypes = "D_SYM_NOTYPES",
    /// `sizeof` of a bit-field.
    SizeofBitfield = "D_SIZEOF_BITFIELD",
    /// `&` of a bit-field.
    AddrofBitfield = "D_ADDROF_BITFIELD",
    /// `sizeof` of something without a size.
    SizeofType = "D_SIZEOF_TYPE",
    /// `stringof` of something that cannot be a string.
    StringofType = "D_STRINGOF_TYPE",
    /// An operand that must be an integer.
    OpInt = "D_OP_INT",
    /// An operand that must be a number or a pointer.
    OpScalar = "D_OP_SCALAR",
    /// An operand that must be a number.
    OpArith = "D_OP_ARITH",
    /// An assignment to a read-only variable.
    OpWrite = "D_OP_WRITE",
    /// An assignment to a value, or to a copy of a variable's.
    OpLval = "D_OP_LVAL",
    /// Incompatible operands.
    OpIncompat = "D_OP_INCOMPAT",
    /// Arithmetic with a pointer to a type without a size.
    OpVfptr = "D_OP_VFPTR",
    /// An assignment to an array.
    OpArrfun = "D_OP_ARRFUN",
    /// An operand that must be a pointer.
    OpPtr = "D_OP_PTR",
    /// An operand that must be a structure.
    OpSou = "D_OP_SOU",
    /// An aggregation as an operand.
    OpDyn = "D_OP_DYN",
    /// An action as an operand.
    OpAct = "D_OP_ACT",
    /// An aggregation assigned with a different function.
    AggRedef = "D_AGG_REDEF",
    /// An assignment to an aggregation of something other than an aggregating function.
    AggFunc = "D_AGG_FUNC",
    /// An aggregation with two pairs of brackets.
    AggMdim = "D_AGG_MDIM",
    /// A statement that only names an aggregation.
    AggNull = "D_AGG_NULL",
    /// A value for an aggregation that is not a scalar.
    AggScalar = "D_AGG_SCALAR",
    /// Several subscripts of something that is not an associative array.
    ArrBadref = "D_ARR_BADREF",
    /// A constant index that an array does not have.
    ArrBounds = "D_ARR_BOUNDS",
    /// A clause-local associative array.
    ArrLocal = "D_ARR_LOCAL",
    /// `alloca` or `copyin` of more than scratch memory.
    AllocaSize = "D_ALLOCA_SIZE",
    /// A constant division by zero.
    DivZero = "D_DIV_ZERO",
    /// `*` of something that is not a pointer.
    DerefNonptr = "D_DEREF_NONPTR",
    /// `*` of a pointer to void.
    DerefVoid = "D_DEREF_VOID",
    /// `*` of a pointer to a function.
    DerefFunc = "D_DEREF_FUNC",
    /// `&` of a value.
    AddrofLval = "D_ADDROF_LVAL",
    /// `&` of a variable that is no array, or of an element of an associative array.
    AddrofVar = "D_ADDROF_VAR",
    /// `xlate` without a translator.
    XlateNone = "D_XLATE_NONE",
    /// A translator to something without members.
    XlateSou = "D_XLATE_SOU",
    /// A second translator between two types.
    XlateRedecl = "D_XLATE_REDECL",
    /// A translator's member that its output does not have.
    XlateMemb = "D_XLATE_MEMB",
    /// A translator's member with a value of another type.
    XlateIncompat = "D_XLATE_INCOMPAT",
    /// A member that the translator does not define.
    XlateNoconv = "D_XLATE_NOCONV",
    /// A name of a provider or a probe that descriptions cannot have.
    ProvBadname = "D_PROV_BADNAME",
    /// A second declaration of a provider, with other probes.
    ProvIncompat = "D_PROV_INCOMPAT",
    /// A probe with too many arguments.
    ProvPrarglen = "D_PROV_PRARGLEN",
    /// A second declaration of a probe.
    ProvPrdup = "D_PROV_PRDUP",
    /// An argument of a probe without a translator to its type.
    ProvPrxlator = "D_PROV_PRXLATOR",
    /// An invalid cast.
    CastInval = "D_CAST_INVAL",
    /// `#error`
    Pragerr = "D_PRAGERR",
    /// An invalid control line.
    PragctlInval = "D_PRAGCTL_INVAL",
    /// An unknown `#pragma D` directive.
    PragmaInval = "D_PRAGMA_INVAL",
    /// `#pragma D attributes` or `binding` for something that D defines.
    PragmaScope = "D_PRAGMA_SCOPE",
    /// `#pragma D attributes` or `binding` for something that is not defined.
    PragmaUnused = "D_PRAGMA_UNUSED",
    /// `#pragma D depends_on` something that there is not.
    PragmaDepend = "D_PRAGMA_DEPEND",
    /// A control line with missing or extra words.
    PragmaMalform = "D_PRAGMA_MALFORM",
    /// An option that cannot be set.
    PragmaOptset = "D_PRAGMA_OPTSET",
    /// An undefined macro argument or variable.
    MacroUndef = "D_MACRO_UNDEF",
    /// A macro argument that exceeds 64 bits.
    MacroOflow = "D_MACRO_OFLOW",
    /// An unreferenced macro argument.
    MacroUnused = "D_MACRO_UNUSED",
    /// A number that exceeds 64 bits.
    IntOflow = "D_INT_OFLOW",
    /// A digit that is invalid in its base.
    IntDigit = "D_INT_DIGIT",
    /// A string that is not terminated on its line.
    StrNl = "D_STR_NL",
    /// A character constant that is not terminated on its line.
    ChrNl = "D_CHR_NL",
    /// `''`
    ChrNull = "D_CHR_NULL",
    /// More than eight characters.
    ChrOflow = "D_CHR_OFLOW",
    /// A name of the wrong kind.
    IdentBadref = "D_IDENT_BADREF",
    /// An undefined name.
    IdentUndef = "D_IDENT_UNDEF",
    /// A variable that has no type yet.
    VarUndef = "D_VAR_UNDEF",
    /// A wrong number of arguments or keys.
    ProtoLen = "D_PROTO_LEN",
    /// An argument or a key of the wrong type.
    ProtoArg = "D_PROTO_ARG",
    /// `args[]` or `uregs[]` with an invalid index.
    RegsIdx = "D_REGS_IDX",
    /// A key of a type that keys cannot have.
    KeyType = "D_KEY_TYPE",
    /// No argument for `*`.
    PrintfDynProto = "D_PRINTF_DYN_PROTO",
    /// An argument for `*` that is not an integer.
    PrintfDynType = "D_PRINTF_DYN_TYPE",
    /// `%@` outside of `printa`.
    PrintfAggConv = "D_PRINTF_AGG_CONV",
    /// A missing argument for a conversion.
    PrintfArgProto = "D_PRINTF_ARG_PROTO",
    /// An argument of the wrong type for its conversion.
    PrintfArgType = "D_PRINTF_ARG_TYPE",
    /// More arguments than conversions.
    PrintfArgExtra = "D_PRINTF_ARG_EXTRA",
    /// A format that is not a string constant.
    PrintfArgFmt = "D_PRINTF_ARG_FMT",
    /// An empty format.
    PrintfFmtEmpty = "D_PRINTF_FMT_EMPTY",
    /// `short` or `long` with `char`.
    DeclCharattr = "D_DECL_CHARATTR",
    /// `short`, `long`, `signed` or `unsigned` with `void`.
    DeclVoidattr = "D_DECL_VOIDATTR",
    /// `signed` or `unsigned` with a type that is not an integer.
    DeclSignint = "D_DECL_SIGNINT",
    /// `long` with a type that is not a number.
    DeclLongint = "D_DECL_LONGINT",
    /// Two names for one variable, or an undefined type.
    DeclIdent = "D_DECL_IDENT",
    /// Two storage classes.
    DeclClass = "D_DECL_CLASS",
    /// A storage class that D does not have.
    DeclBadclass = "D_DECL_BADCLASS",
    /// A storage class for a component of a key.
    DeclParmclass = "D_DECL_PARMCLASS",
    /// An invalid combination of specifiers.
    DeclCombo = "D_DECL_COMBO",
    /// An array size that is not a constant.
    DeclArrsub = "D_DECL_ARRSUB",
    /// An array without a size.
    DeclArrnull = "D_DECL_ARRNULL",
    /// An array that is too large.
    DeclArrbig = "D_DECL_ARRBIG",
    /// A name that is already declared.
    DeclIdred = "D_DECL_IDRED",
    /// A scoping operator in a declared name.
    DeclScope = "D_DECL_SCOPE",
    /// Something that is less stable than the option `amin` allows.
    AttrMin = "D_ATTR_MIN",
    /// A declaration that declares nothing.
    DeclUseless = "D_DECL_USELESS",
    /// A declaration of a clause-local associative array.
    DeclLocassc = "D_DECL_LOCASSC",
    /// A variable, or an element of an array, of type void.
    DeclVoidobj = "D_DECL_VOIDOBJ",
    /// An array of associative arrays.
    DeclDynobj = "D_DECL_DYNOBJ",
    /// A structure, a union or an enumeration without a definition.
    DeclIncomplete = "D_DECL_INCOMPLETE",
    /// A second definition of a structure, a union or an enumeration.
    DeclTypered = "D_DECL_TYPERED",
    /// A member without a name, or with another's.
    DeclMname = "D_DECL_MNAME",
    /// The width of a bit-field that is not a positive constant.
    DeclBfconst = "D_DECL_BFCONST",
    /// A bit-field wider than its type.
    DeclBfsize = "D_DECL_BFSIZE",
    /// A bit-field that is not an integer.
    DeclBftype = "D_DECL_BFTYPE",
    /// The value of an enumerator that is not constant.
    DeclEnconst = "D_DECL_ENCONST",
    /// The value of an enumerator that is not an `int`.
    DeclEnoflow = "D_DECL_ENOFLOW",
    /// A key, or a component of one, of a type that keys cannot have.
    DeclProtoType = "D_DECL_PROTO_TYPE",
    /// `...` in a key.
    DeclProtoVarargs = "D_DECL_PROTO_VARARGS",
    /// `void` among several parameters.
    DeclProtoVoid = "D_DECL_PROTO_VOID",
    /// A name for `void` in a parameter list, or for two parameters.
    DeclProtoName = "D_DECL_PROTO_NAME",
    /// A translated argument of a probe that is none of those before the colon.
    DeclProtoForm = "D_DECL_PROTO_FORM",
    /// A commit after something was recorded.
    CommDrec = "D_COMM_DREC",
    /// A speculate after a speculate.
    SpecSpec = "D_SPEC_SPEC",
    /// A speculate after a commit.
    SpecComm = "D_SPEC_COMM",
    /// A speculate after something was recorded.
    SpecDrec = "D_SPEC_DREC",
    /// An aggregation after a commit.
    AggComm = "D_AGG_COMM",
    /// An aggregation after a speculate.
    AggSpec = "D_AGG_SPEC",
    /// A destructive action after a speculate.
    ActSpec = "D_ACT_SPEC",
    /// An exit after a speculate.
    ExitSpec = "D_EXIT_SPEC",
    /// A recording action after a commit.
    DrecComm = "D_DREC_COMM",
    /// `printa` with a wrong number of arguments.
    PrintaProto = "D_PRINTA_PROTO",
    /// `printa` of something that is not an aggregation.
    PrintaAggarg = "D_PRINTA_AGGARG",
    /// `printa` of an aggregation that is never assigned to.
    PrintaAggbad = "D_PRINTA_AGGBAD",
    /// `printa` of aggregations with different numbers of keys.
    PrintaAggkey = "D_PRINTA_AGGKEY",
    /// `printa` of aggregations with different types of keys.
    PrintaAggproto = "D_PRINTA_AGGPROTO",
    /// `trace` of a void expression.
    TraceVoid = "D_TRACE_VOID",
    /// `trace` of an aggregation.
    TraceDyn = "D_TRACE_DYN",
    /// `freopen` of the name that stands for standard output.
    FreopenInvalid = "D_FREOPEN_INVALID",
    /// `tracemem` of something that is not an address.
    TracememAddr = "D_TRACEMEM_ADDR",
    /// `tracemem` with a size that is not a positive constant.
    TracememSize = "D_TRACEMEM_SIZE",
    /// `tracemem` with too many arguments.
    TracememArgs = "D_TRACEMEM_ARGS",
    /// `tracemem` with a number of bytes that is not a scalar.
    TracememDynsize = "D_TRACEMEM_DYNSIZE",
    /// `stack` with too many arguments.
    StackProto = "D_STACK_PROTO",
    /// `stack` with a size that is not a positive constant, or too large.
    StackSize = "D_STACK_SIZE",
    /// `ustack` with too many arguments.
    UstackProto = "D_USTACK_PROTO",
    /// `ustack` with a size that is not a positive constant, or too large.
    UstackFrames = "D_USTACK_FRAMES",
    /// `ustack` with a string size that is not a constant, or negative.
    UstackStrsize = "D_USTACK_STRSIZE",
    /// `lquantize` with a base that is not a constant.
    LquantBasetype = "D_LQUANT_BASETYPE",
    /// `lquantize` with a base that is too large.
    LquantBaseval = "D_LQUANT_BASEVAL",
    /// `lquantize` with a limit that is not a constant.
    LquantLimtype = "D_LQUANT_LIMTYPE",
    /// `lquantize` with a limit that is too large.
    LquantLimval = "D_LQUANT_LIMVAL",
    /// `lquantize` with a limit below its base.
    LquantMismatch = "D_LQUANT_MISMATCH",
    /// `lquantize` with a step that is not a positive constant.
    LquantSteptype = "D_LQUANT_STEPTYPE",
    /// `lquantize` with a step that is too large.
    LquantStepval = "D_LQUANT_STEPVAL",
    /// `lquantize` with a step that is larger than the range.
    LquantSteplarge = "D_LQUANT_STEPLARGE",
    /// `lquantize` with too many steps.
    LquantStepsmall = "D_LQUANT_STEPSMALL",
    /// `lquantize` with a different base than before.
    LquantMatchbase = "D_LQUANT_MATCHBASE",
    /// `lquantize` with a different limit than before.
    LquantMatchlim = "D_LQUANT_MATCHLIM",
    /// `lquantize` with a different step than before.
    LquantMatchstep = "D_LQUANT_MATCHSTEP",
    /// `llquantize` with a factor that is not a constant.
    LlquantFactortype = "D_LLQUANT_FACTORTYPE",
    /// `llquantize` with a factor that is too small or too large.
    LlquantFactorval = "D_LLQUANT_FACTORVAL",
    /// `llquantize` with a low magnitude that is not a constant.
    LlquantLmagtype = "D_LLQUANT_LMAGTYPE",
    /// `llquantize` with a low magnitude that is too large.
    LlquantLmagval = "D_LLQUANT_LMAGVAL",
    /// `llquantize` with a high magnitude that is not a constant.
    LlquantHmagtype = "D_LLQUANT_HMAGTYPE",
    /// `llquantize` with a high magnitude below the low one, or too large.
    LlquantHmagval = "D_LLQUANT_HMAGVAL",
    /// `llquantize` with steps that are not a constant.
    LlquantSteptype = "D_LLQUANT_STEPTYPE",
    /// `llquantize` with steps that are too many, or do not fit the factor.
    LlquantStepval = "D_LLQUANT_STEPVAL",
    /// `llquantize` with a different factor than before.
    LlquantMatchfactor = "D_LLQUANT_MATCHFACTOR",
    /// `llquantize` with a different low magnitude than before.
    LlquantMatchlmag = "D_LLQUANT_MATCHLMAG",
    /// `llquantize` with a different high magnitude than before.
    LlquantMatchhmag = "D_LLQUANT_MATCHHMAG",
    /// `llquantize` with a different number of steps than before.
    LlquantMatchsteps = "D_LLQUANT_MATCHSTEPS",
    /// `clear` with a wrong number of arguments.
    ClearProto = "D_CLEAR_PROTO",
    /// `clear` of something that is not an aggregation.
    ClearAggarg = "D_CLEAR_AGGARG",
    /// `clear` of an aggregation that is never assigned to.
    ClearAggbad = "D_CLEAR_AGGBAD",
    /// `normalize` or `denormalize` with a wrong number of arguments.
    NormalizeProto = "D_NORMALIZE_PROTO",
    /// `normalize` by something that is not a scalar.
    NormalizeScalar = "D_NORMALIZE_SCALAR",
    /// `normalize` or `denormalize` of something that is not an aggregation.
    NormalizeAggarg = "D_NORMALIZE_AGGARG",
    /// `normalize` or `denormalize` of an aggregation that is never assigned to.
    NormalizeAggbad = "D_NORMALIZE_AGGBAD",
    /// `trunc` with a wrong number of arguments.
    TruncProto = "D_TRUNC_PROTO",
    /// `trunc` to something that is not a scalar.
    TruncScalar = "D_TRUNC_SCALAR",
    /// `trunc` of something that is not an aggregation.
    TruncAggarg = "D_TRUNC_AGGARG",
    /// `trunc` of an aggregation that is never assigned to.
    TruncAggbad = "D_TRUNC_AGGBAD",
}
