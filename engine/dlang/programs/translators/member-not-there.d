struct a { int n; int m; };
translator struct a < int n > { n = n; };
BEGIN { trace(xlate <struct a *> (1)->k); }
