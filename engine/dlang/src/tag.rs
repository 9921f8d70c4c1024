//! The error tags: what kind of mistake a program has, in a word that does not change.

macro_rules! tags {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// What kind of mistake it is.
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
    /// The text is no D.
    Syntax = "D_SYNTAX",
    /// There is no clause in it.
    Empty = "D_EMPTY",
    /// What the language has, but this compiler has not.
    Unknown = "D_UNKNOWN",
    /// A type whose definition is missing.
    TypeErr = "D_TYPE_ERR",
    /// An action or an aggregating function inside of an expression.
    CgExpr = "D_CG_EXPR",
    /// An aggregation where a value is wanted.
    CgDyn = "D_CG_DYN",
    /// An expression that needs more registers than there are.
    NoReg = "D_NOREG",
    /// More than the machine has room for: of a key, of a record, of code.
    Limit = "D_LIMIT",
    /// A probe description that is none.
    PdescInval = "D_PDESC_INVAL",
    /// A predicate that is neither a number nor a pointer.
    PredScalar = "D_PRED_SCALAR",
    /// A call of what has no name.
    FuncIdent = "D_FUNC_IDENT",
    /// A call of a function that there is not.
    FuncUndef = "D_FUNC_UNDEF",
    /// A call of what is no function.
    FuncIdkind = "D_FUNC_IDKIND",
    /// `offsetof` of what has no members.
    OffsetofType = "D_OFFSETOF_TYPE",
    /// `sizeof` of what has no size.
    SizeofType = "D_SIZEOF_TYPE",
    /// `stringof` of what can be no string.
    StringofType = "D_STRINGOF_TYPE",
    /// An operand that must be an integer.
    OpInt = "D_OP_INT",
    /// An operand that must be a number or a pointer.
    OpScalar = "D_OP_SCALAR",
    /// An operand that must be a number.
    OpArith = "D_OP_ARITH",
    /// An assignment to what cannot be changed.
    OpWrite = "D_OP_WRITE",
    /// An assignment to a value, or to what is but a copy of a variable's.
    OpLval = "D_OP_LVAL",
    /// Operands that do not go together.
    OpIncompat = "D_OP_INCOMPAT",
    /// Arithmetic with a pointer to what has no size.
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
    /// Another function for an aggregation.
    AggRedef = "D_AGG_REDEF",
    /// An aggregation that is not given the result of an aggregating function.
    AggFunc = "D_AGG_FUNC",
    /// An aggregation with two keys in brackets of their own.
    AggMdim = "D_AGG_MDIM",
    /// An aggregation that is just named.
    AggNull = "D_AGG_NULL",
    /// A value for an aggregation that is no scalar.
    AggScalar = "D_AGG_SCALAR",
    /// Several subscripts for what is no associative array.
    ArrBadref = "D_ARR_BADREF",
    /// An associative array in a clause-local variable.
    ArrLocal = "D_ARR_LOCAL",
    /// A division by zero that can be seen.
    DivZero = "D_DIV_ZERO",
    /// `*` of what is no pointer.
    DerefNonptr = "D_DEREF_NONPTR",
    /// `*` of a pointer to nothing.
    DerefVoid = "D_DEREF_VOID",
    /// `*` of a pointer to a function.
    DerefFunc = "D_DEREF_FUNC",
    /// `&` of a value.
    AddrofLval = "D_ADDROF_LVAL",
    /// `&` of a variable, or of an element of one.
    AddrofVar = "D_ADDROF_VAR",
    /// `xlate` without a translator.
    XlateNone = "D_XLATE_NONE",
    /// A cast that cannot be.
    CastInval = "D_CAST_INVAL",
    /// `#error`
    Pragerr = "D_PRAGERR",
    /// A control line that is none.
    PragctlInval = "D_PRAGCTL_INVAL",
    /// `#pragma D` with a word that it does not know.
    PragmaInval = "D_PRAGMA_INVAL",
    /// A control line that lacks something, or has too much.
    PragmaMalform = "D_PRAGMA_MALFORM",
    /// An option that cannot be set.
    PragmaOptset = "D_PRAGMA_OPTSET",
    /// A macro argument or variable that there is not.
    MacroUndef = "D_MACRO_UNDEF",
    /// A macro argument that is too great a number.
    MacroOflow = "D_MACRO_OFLOW",
    /// A macro argument that nothing refers to.
    MacroUnused = "D_MACRO_UNUSED",
    /// Too great a number.
    IntOflow = "D_INT_OFLOW",
    /// A number with a digit that its base does not have.
    IntDigit = "D_INT_DIGIT",
    /// A string that does not end on its line.
    StrNl = "D_STR_NL",
    /// A character that does not end on its line.
    ChrNl = "D_CHR_NL",
    /// `''`
    ChrNull = "D_CHR_NULL",
    /// More than eight characters.
    ChrOflow = "D_CHR_OFLOW",
    /// A name that is used as what it is not.
    IdentBadref = "D_IDENT_BADREF",
    /// A name that means nothing.
    IdentUndef = "D_IDENT_UNDEF",
    /// A variable that has no type yet.
    VarUndef = "D_VAR_UNDEF",
    /// A wrong number of arguments or keys.
    ProtoLen = "D_PROTO_LEN",
    /// An argument or a key of a wrong type.
    ProtoArg = "D_PROTO_ARG",
    /// `args[]` or `uregs[]` with a number that it does not have.
    RegsIdx = "D_REGS_IDX",
    /// A key of a type that cannot be one.
    KeyType = "D_KEY_TYPE",
    /// No argument for `*`.
    PrintfDynProto = "D_PRINTF_DYN_PROTO",
    /// An argument for `*` that is no integer.
    PrintfDynType = "D_PRINTF_DYN_TYPE",
    /// `%@` outside of `printa`.
    PrintfAggConv = "D_PRINTF_AGG_CONV",
    /// No argument for a conversion.
    PrintfArgProto = "D_PRINTF_ARG_PROTO",
    /// An argument that does not go with its conversion.
    PrintfArgType = "D_PRINTF_ARG_TYPE",
    /// An argument without a conversion.
    PrintfArgExtra = "D_PRINTF_ARG_EXTRA",
    /// A format that is no string constant.
    PrintfArgFmt = "D_PRINTF_ARG_FMT",
    /// An empty format.
    PrintfFmtEmpty = "D_PRINTF_FMT_EMPTY",
    /// `short` or `long` with `char`.
    DeclCharattr = "D_DECL_CHARATTR",
    /// `short`, `long`, `signed` or `unsigned` with `void`.
    DeclVoidattr = "D_DECL_VOIDATTR",
    /// `signed` or `unsigned` with what is no integer.
    DeclSignint = "D_DECL_SIGNINT",
    /// `long` with what is no number.
    DeclLongint = "D_DECL_LONGINT",
    /// Two names for one variable, or a type that there is not.
    DeclIdent = "D_DECL_IDENT",
    /// Two storage classes.
    DeclClass = "D_DECL_CLASS",
    /// A storage class that D has not.
    DeclBadclass = "D_DECL_BADCLASS",
    /// A storage class for a part of a key.
    DeclParmclass = "D_DECL_PARMCLASS",
    /// Words that make no type together.
    DeclCombo = "D_DECL_COMBO",
    /// A size of an array that is no constant.
    DeclArrsub = "D_DECL_ARRSUB",
    /// An array without a size.
    DeclArrnull = "D_DECL_ARRNULL",
    /// An array that is too big.
    DeclArrbig = "D_DECL_ARRBIG",
    /// A name that is declared already.
    DeclIdred = "D_DECL_IDRED",
    /// A scoping operator in a declared name.
    DeclScope = "D_DECL_SCOPE",
    /// A declaration of nothing.
    DeclUseless = "D_DECL_USELESS",
    /// A declaration of a clause-local associative array.
    DeclLocassc = "D_DECL_LOCASSC",
    /// A variable, or elements of an array, without a value.
    DeclVoidobj = "D_DECL_VOIDOBJ",
    /// An array of associative arrays.
    DeclDynobj = "D_DECL_DYNOBJ",
    /// A key, or a part of one, of a type that cannot be one.
    DeclProtoType = "D_DECL_PROTO_TYPE",
    /// `...` in a key.
    DeclProtoVarargs = "D_DECL_PROTO_VARARGS",
    /// A commit after a commit.
    CommComm = "D_COMM_COMM",
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
    /// An exit after a speculate.
    ExitSpec = "D_EXIT_SPEC",
    /// A recording action after a commit.
    DrecComm = "D_DREC_COMM",
    /// `printa` with a wrong number of arguments.
    PrintaProto = "D_PRINTA_PROTO",
    /// `printa` of what is no aggregation.
    PrintaAggarg = "D_PRINTA_AGGARG",
    /// `printa` of an aggregation that nothing is given to.
    PrintaAggbad = "D_PRINTA_AGGBAD",
    /// `printa` of aggregations whose keys differ in number.
    PrintaAggkey = "D_PRINTA_AGGKEY",
    /// `printa` of aggregations whose keys differ in type.
    PrintaAggproto = "D_PRINTA_AGGPROTO",
    /// `trace` of nothing.
    TraceVoid = "D_TRACE_VOID",
    /// `trace` of an aggregation.
    TraceDyn = "D_TRACE_DYN",
    /// `stack` with too many arguments.
    StackProto = "D_STACK_PROTO",
    /// `stack` with a size that is no positive constant, or too great a one.
    StackSize = "D_STACK_SIZE",
    /// `lquantize` with a base that is no constant.
    LquantBasetype = "D_LQUANT_BASETYPE",
    /// `lquantize` with too great a base.
    LquantBaseval = "D_LQUANT_BASEVAL",
    /// `lquantize` with a limit that is no constant.
    LquantLimtype = "D_LQUANT_LIMTYPE",
    /// `lquantize` with too great a limit.
    LquantLimval = "D_LQUANT_LIMVAL",
    /// `lquantize` with a limit below its base.
    LquantMismatch = "D_LQUANT_MISMATCH",
    /// `lquantize` with a step that is no positive constant.
    LquantSteptype = "D_LQUANT_STEPTYPE",
    /// `lquantize` with too great a step.
    LquantStepval = "D_LQUANT_STEPVAL",
    /// `lquantize` without a whole step.
    LquantSteplarge = "D_LQUANT_STEPLARGE",
    /// `lquantize` with too many steps.
    LquantStepsmall = "D_LQUANT_STEPSMALL",
    /// `lquantize` with another base than before.
    LquantMatchbase = "D_LQUANT_MATCHBASE",
    /// `lquantize` with another limit than before.
    LquantMatchlim = "D_LQUANT_MATCHLIM",
    /// `lquantize` with another step than before.
    LquantMatchstep = "D_LQUANT_MATCHSTEP",
    /// `llquantize` with a factor that is no constant.
    LlquantFactortype = "D_LLQUANT_FACTORTYPE",
    /// `llquantize` with too great a factor.
    LlquantFactorval = "D_LLQUANT_FACTORVAL",
    /// `llquantize` with a factor below 2.
    LlquantFactorsmall = "D_LLQUANT_FACTORSMALL",
    /// `llquantize` with another factor than before.
    LlquantFactormatch = "D_LLQUANT_FACTORMATCH",
    /// `llquantize` with a factor and steps that do not divide one another.
    LlquantFactoreven = "D_LLQUANT_FACTOREVEN",
    /// `llquantize` with fewer steps than its factor.
    LlquantFactornsteps = "D_LLQUANT_FACTORNSTEPS",
    /// `llquantize` with a low magnitude that is no constant.
    LlquantLowtype = "D_LLQUANT_LOWTYPE",
    /// `llquantize` with too great a low magnitude.
    LlquantLowval = "D_LLQUANT_LOWVAL",
    /// `llquantize` with another low magnitude than before.
    LlquantLowmatch = "D_LLQUANT_LOWMATCH",
    /// `llquantize` with a high magnitude that is no constant.
    LlquantHightype = "D_LLQUANT_HIGHTYPE",
    /// `llquantize` with too great a high magnitude.
    LlquantHighval = "D_LLQUANT_HIGHVAL",
    /// `llquantize` with another high magnitude than before.
    LlquantHighmatch = "D_LLQUANT_HIGHMATCH",
    /// `llquantize` with steps that are no constant.
    LlquantNsteptype = "D_LLQUANT_NSTEPTYPE",
    /// `llquantize` with too many steps.
    LlquantNstepval = "D_LLQUANT_NSTEPVAL",
    /// `llquantize` with another number of steps than before.
    LlquantNstepmatch = "D_LLQUANT_NSTEPMATCH",
    /// `llquantize` with a low magnitude that is not below the high one.
    LlquantMagrange = "D_LLQUANT_MAGRANGE",
    /// `llquantize` with a high magnitude beyond 64 bits.
    LlquantMagtoobig = "D_LLQUANT_MAGTOOBIG",
    /// `clear` with a wrong number of arguments.
    ClearProto = "D_CLEAR_PROTO",
    /// `clear` of what is no aggregation.
    ClearAggarg = "D_CLEAR_AGGARG",
    /// `clear` of an aggregation that nothing is given to.
    ClearAggbad = "D_CLEAR_AGGBAD",
    /// `normalize` or `denormalize` with a wrong number of arguments.
    NormalizeProto = "D_NORMALIZE_PROTO",
    /// `normalize` by what is no scalar.
    NormalizeScalar = "D_NORMALIZE_SCALAR",
    /// `normalize` or `denormalize` of what is no aggregation.
    NormalizeAggarg = "D_NORMALIZE_AGGARG",
    /// `normalize` or `denormalize` of an aggregation that nothing is given to.
    NormalizeAggbad = "D_NORMALIZE_AGGBAD",
    /// `trunc` with a wrong number of arguments.
    TruncProto = "D_TRUNC_PROTO",
    /// `trunc` to what is no scalar.
    TruncScalar = "D_TRUNC_SCALAR",
    /// `trunc` of what is no aggregation.
    TruncAggarg = "D_TRUNC_AGGARG",
    /// `trunc` of an aggregation that nothing is given to.
    TruncAggbad = "D_TRUNC_AGGBAD",
}
