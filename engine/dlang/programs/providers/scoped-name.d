provider app`one { probe start(); };
BEGIN { }
