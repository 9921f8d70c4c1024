struct a { int n; };
translator struct a < int n > { n = n; n = 2; };
BEGIN { }
