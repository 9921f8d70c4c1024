translator int < int n > { n = n; };
BEGIN { }
