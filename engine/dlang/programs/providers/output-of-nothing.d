provider app { probe start(int n) : (int m); };
BEGIN { }
