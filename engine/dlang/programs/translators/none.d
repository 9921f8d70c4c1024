struct a { int n; };
translator struct a < int n > { n = n; };
BEGIN { trace(xlate <struct a *> ("x")->n); }
