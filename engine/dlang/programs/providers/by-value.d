struct one { int n; };
provider app { probe start(struct one it, int n); };
app:::start { trace(args[1]); }
