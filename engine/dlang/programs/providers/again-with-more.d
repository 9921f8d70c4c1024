provider app { probe start(); };
provider app { probe stop(); };
BEGIN { }
