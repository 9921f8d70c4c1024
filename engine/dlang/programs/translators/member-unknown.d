struct a { int n; };
translator struct a < int n > { m = n; };
BEGIN { }
