provider app { probe start(int n) : (int); };
BEGIN { }
