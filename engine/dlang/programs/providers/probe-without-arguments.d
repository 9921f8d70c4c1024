provider app { probe start; };
BEGIN { }
