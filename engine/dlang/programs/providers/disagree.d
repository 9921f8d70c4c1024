provider app { probe start(int n); probe stop(char *s); };
app:::start, app:::stop { trace(args[0]); }
