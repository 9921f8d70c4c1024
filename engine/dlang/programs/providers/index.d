provider app { probe start(int n); };
app:::start { trace(args[1]); }
