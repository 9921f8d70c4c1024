provider app { probe start(int n, int n); };
BEGIN { }
