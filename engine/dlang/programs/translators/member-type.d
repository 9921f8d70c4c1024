struct a { int n; };
translator struct a < int n > { n = probename; };
BEGIN { }
