struct a { int n; };
translator struct a < int > { n = 1; };
BEGIN { }
