struct a { int n; };
translator struct a < int n > { n = n; };
translator struct a < int m > { n = m; };
BEGIN { }
