provider app { probe start(self int n); };
BEGIN { }
