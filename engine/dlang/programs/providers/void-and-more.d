provider app { probe start(void, int); };
BEGIN { }
