provider app { probe start(int n, int m) : (int m); };
app:::start { trace(args[1]); }
