provider { probe start(); };
BEGIN { }
