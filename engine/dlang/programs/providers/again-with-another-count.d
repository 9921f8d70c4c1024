provider app { probe start(int); };
provider app { probe start(int, int); };
BEGIN { }
