provider app { probe (); };
BEGIN { }
