provider app { probe start(int, ...); };
BEGIN { }
