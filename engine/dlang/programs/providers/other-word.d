provider app { event start(); };
BEGIN { }
