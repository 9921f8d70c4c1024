provider app { probe start(int f(int)); };
BEGIN { }
